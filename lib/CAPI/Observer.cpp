//===- Observer.cpp - Watching a run through the C interface --------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CAPI/Observer.h"
#include "Pto/Words.h"
#include "Reference/Inspect.h"
#include "Reference/Launch.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"

using namespace mlir;
using namespace mlir::pto;

bool CallbackObserver::notify(const reference::Moment &moment) {
  const reference::Task &task = moment.launch.task;
  std::string word;
  PyptoMoment made = {};
  made.event = static_cast<int>(moment.event);
  made.task = task.number;
  made.taskName = wrap(StringRef(task.name));
  made.blocks = task.blocks;
  if (moment.core) {
    made.block = moment.core->cluster.number;
    // A core that has ended is in no function any more.
    if (!task.isOrchestration() && task.parts[0].code->isKernel())
      word = moment.core->cluster.cores.size() == 1
                 ? "the core"
                 : moment.core->cluster.coreWord(moment.core->number);
    made.coreId = moment.core;
  }
  made.core = wrap(StringRef(word));
  made.operation = wrap(moment.op);
  if (moment.source)
    made.source = wrap(nameOf(moment.source));
  made.rank = moment.element.size();
  made.element = moment.element.data();
  made.ptr = moment.core;
  return options.observe(&made, options.userData);
}

void pyptoOperationPlace(MlirOperation operation, PyptoPlaceCallback callback, void *userData) {
  Operation *op = unwrap(operation);
  std::string word = reference::describe(op);
  PyptoPlace place = {};
  place.word = wrap(StringRef(word));
  place.name = wrap(op->getName().getStringRef());
  auto func = dyn_cast<FunctionOpInterface>(op);
  if (!func)
    func = op->getParentOfType<FunctionOpInterface>();
  place.function = wrap(func ? func.getName() : StringRef());
  SmallVector<MlirStringRef> files;
  SmallVector<int64_t> lines;
  Location at = op->getLoc();
  for (bool inner = true;; inner = false) {
    auto site = at->findInstanceOf<CallSiteLoc>();
    auto found = (site ? site.getCallee() : at)->findInstanceOf<FileLineColRange>();
    if (found && inner) {
      place.file = wrap(found.getFilename().getValue());
      place.line = found.getStartLine();
      place.column = found.getStartColumn();
    } else if (found) {
      files.push_back(wrap(found.getFilename().getValue()));
      lines.push_back(found.getStartLine());
    }
    if (!site)
      break;
    at = site.getCaller();
  }
  place.callers = files.size();
  place.callerFiles = files.data();
  place.callerLines = lines.data();
  callback(&place, userData);
}

static reference::Core *coreOf(const PyptoMoment *moment) {
  return static_cast<reference::Core *>(moment->ptr);
}

intptr_t pyptoMomentDepth(const PyptoMoment *moment) {
  return moment->ptr ? coreOf(moment)->stack.size() : 0;
}

MlirOperation pyptoMomentOperation(const PyptoMoment *moment, intptr_t depth) {
  return wrap(depth < pyptoMomentDepth(moment) ? getOperationAt(*coreOf(moment), depth) : nullptr);
}

void pyptoMomentNames(const PyptoMoment *moment, intptr_t depth, PyptoTextCallback callback,
                      void *userData) {
  if (depth < pyptoMomentDepth(moment))
    for (StringRef name : getVisibleNames(*coreOf(moment), depth))
      callback(wrap(name), userData);
}

static Type getType(reference::Elem elem, MLIRContext *context) {
  switch (elem) {
  case reference::Elem::F16:
    return Float16Type::get(context);
  case reference::Elem::BF16:
    return BFloat16Type::get(context);
  case reference::Elem::F32:
    return Float32Type::get(context);
  case reference::Elem::I32:
  case reference::Elem::I8:
  case reference::Elem::I16:
  case reference::Elem::I64:
    return IntegerType::get(context, 8 * reference::elemBytes(elem));
  default:
    return IntegerType::get(context, 8 * reference::elemBytes(elem), IntegerType::Unsigned);
  }
}

static void give(const reference::Content &content, MLIRContext *context,
                 PyptoContentCallback callback, void *userData) {
  PyptoContent made = {};
  made.name = wrap(StringRef(content.name));
  made.kind = static_cast<int>(content.kind);
  if (content.kind == reference::Content::Real)
    made.real = content.scalar.f;
  else
    made.integer = content.scalar.i;
  made.elementType = wrap(getType(content.elem, context));
  bool isList = content.kind == reference::Content::List;
  made.rank = isList ? content.list.size() : content.shape.size();
  made.shape = isList ? content.list.data() : content.shape.data();
  made.bytes = wrap(StringRef(content.bytes.data(), content.bytes.size()));
  made.defined = wrap(StringRef(content.defined.data(), content.defined.size()));
  made.space = wrap(content.space);
  callback(&made, userData);
}

void pyptoMomentRead(const PyptoMoment *moment, MlirStringRef name, intptr_t depth,
                     PyptoContentCallback callback, void *userData) {
  if (depth >= pyptoMomentDepth(moment))
    return;
  if (auto content = read(*coreOf(moment), unwrap(name), depth))
    give(*content, getOperationAt(*coreOf(moment), depth)->getContext(), callback, userData);
}

void pyptoMomentMade(const PyptoMoment *moment, PyptoContentCallback callback, void *userData) {
  if (!moment->ptr || !unwrap(moment->operation))
    return;
  Operation *op = unwrap(moment->operation);
  for (const reference::Content &content : readMade(*coreOf(moment), op))
    give(content, op->getContext(), callback, userData);
}
