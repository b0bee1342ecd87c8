//===- Parse.cpp - Modules of text, with the names of its values -----------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "Pto/Words.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

/// `%softmax:2` as written at `range`; empty for a number or `%arg0`, which the
/// printer makes up.
static StringRef nameAt(SMRange range) {
  if (!range.isValid())
    return "";
  StringRef text(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
  text.consume_front("%");
  text = text.take_until([](char c) { return c == ':'; });
  StringRef number = text;
  number.consume_front("arg");
  return text.empty() || llvm::all_of(number, llvm::isDigit) ? "" : text;
}

static Location named(StringRef name, Location location) {
  return NameLoc::get(StringAttr::get(location.getContext(), name), location);
}

/// An operation of which only the name is written, `loc("acc")`, is where its text is.
static void locate(Operation *op, SMLoc written, const llvm::SourceMgr &sources) {
  unsigned buffer = written.isValid() ? sources.FindBufferContainingLoc(written) : 0;
  auto name = dyn_cast<NameLoc>(op->getLoc());
  if (buffer == 0 || !name || !isa<UnknownLoc>(name.getChildLoc()))
    return;
  auto [line, column] = sources.getLineAndColumn(written, buffer);
  StringRef file = sources.getMemoryBuffer(buffer)->getBufferIdentifier();
  op->setLoc(named(name.getName(), FileLineColLoc::get(op->getContext(), file, line, column)));
}

/// Text that was written by hand has its names in front of the operations, not in
/// locations. The C++ takes the author's, so they become what the front end makes
/// of a variable's name: a name location. What has one keeps it.
static void nameValues(Operation *root, const AsmParserState &state,
                       const llvm::SourceMgr &sources) {
  root->walk([&](Operation *op) {
    const AsmParserState::OperationDefinition *definition = state.getOpDef(op);
    if (definition)
      locate(op, definition->loc.Start, sources);
    if (definition && !definition->resultGroups.empty() && op->getNumResults() > 0 &&
        pto::nameOf(op->getResult(0)).empty()) {
      StringRef name = nameAt(definition->resultGroups.front().definition.loc);
      if (!name.empty())
        op->setLoc(named(name, op->getLoc()));
    }
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (const AsmParserState::BlockDefinition *arguments = state.getBlockDef(&block))
          for (auto [argument, written] : llvm::zip(block.getArguments(), arguments->arguments))
            if (StringRef name = nameAt(written.loc);
                !name.empty() && pto::nameOf(argument).empty())
              argument.setLoc(named(name, argument.getLoc()));
  });
}

OwningOpRef<ModuleOp> pto::parseNamed(const std::shared_ptr<llvm::SourceMgr> &sources,
                                      MLIRContext *context) {
  ParserConfig config(context);
  const llvm::MemoryBuffer *buffer = sources->getMemoryBuffer(sources->getMainFileID());
  if (isBytecode(*buffer))
    return parseSourceFile<ModuleOp>(sources, config);
  AsmParserState state;
  auto start = FileLineColLoc::get(context, buffer->getBufferIdentifier(), 0, 0);
  Block block;
  if (failed(parseAsmSourceFile(*sources, &block, config, &state)))
    return nullptr;
  for (Operation &op : block)
    nameValues(&op, state, *sources);
  return mlir::detail::constructContainerOpForParserIfNecessary<ModuleOp>(&block, context, start);
}
