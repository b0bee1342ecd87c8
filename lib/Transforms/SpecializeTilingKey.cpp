//===- SpecializeTilingKey.cpp - pto-specialize-tiling-key -----------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// A key is known when a kernel is compiled. For each requested one the kernel and
// its entry are cloned, and what the key decides is decided; nothing later knows
// that there are keys.
//
//===----------------------------------------------------------------------===//

#include "Transforms/FoldConstants.h"
#include "Transforms/Passes.h"
#include "Transforms/TilingKeys.h"

#include "Block/BlockOps.h"
#include "Pto/Words.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::pto {
#define GEN_PASS_DEF_SPECIALIZETILINGKEYPASS
#include "Transforms/Passes.h.inc"
} // namespace mlir::pto

using namespace mlir;
using namespace mlir::pto;

namespace {
class SpecializeTilingKey : public pto::impl::SpecializeTilingKeyPassBase<SpecializeTilingKey> {
public:
  using SpecializeTilingKeyPassBase::SpecializeTilingKeyPassBase;
  void runOnOperation() override;
};

/// Makes the clones of a module for its schema.
class Specializer {
public:
  Specializer(ModuleOp module, BlockTilingKeyOp schema) : module(module), schema(schema) {}
  /// Finds the kernels that read the schema, and says what is wrong with them.
  LogicalResult collect();
  /// Makes the clones for one key.
  LogicalResult specialize(const TilingKey &key);
  /// Removes what the clones were made of.
  void finish();

private:
  LogicalResult checkReads(func::FuncOp func);
  LogicalResult checkFixed(func::FuncOp func);
  std::optional<int64_t> valueOf(const TilingKey &key, StringRef field);
  FailureOr<func::FuncOp> chooseTemplate(StringRef kernel, const TilingKey &key);
  bool agrees(func::FuncOp func, const TilingKey &key);
  LogicalResult clone(func::FuncOp func, Operation *place, const std::string &name,
                      const TilingKey &key);
  void resolve(func::FuncOp func, const TilingKey &key);
  LogicalResult cloneEntries(const TilingKey &key);

  ModuleOp module;
  BlockTilingKeyOp schema;
  SmallVector<StringRef> names; // of the schema's fields
  // The templates of each kernel by its name; one that has none is its only template.
  llvm::MapVector<StringRef, SmallVector<func::FuncOp>> kernels;
  llvm::MapVector<func::FuncOp, std::string> entries; // with the name that clones begin with
  llvm::StringMap<std::string> made;                  // for the key at hand: template, clone
};
} // namespace

//===----------------------------------------------------------------------===//
// What is there
//===----------------------------------------------------------------------===//

/// Kernels by the name that their author gave them.
static StringRef getKernelName(func::FuncOp func) {
  auto name = func->getAttrOfType<StringAttr>(attr::kTemplateOf);
  return name ? name.getValue() : func.getName();
}

LogicalResult Specializer::checkReads(func::FuncOp func) {
  bool failedAny = false;
  func.walk([&](BlockReadKeyOp read) {
    if (read.getSchema() != schema.getSymName()) {
      failedAny = true;
      emitUserError(read) << "reads the tiling key '" << read.getSchema() << "' in a kernel of '"
                          << schema.getSymName() << "'";
    } else if (!schema.findField(read.getField())) {
      failedAny = true;
      emitUserError(read) << "'" << read.getField() << "' is no field of '" << schema.getSymName()
                          << "'" << didYouMean(read.getField(), names);
    }
  });
  return failure(failedAny);
}

LogicalResult Specializer::checkFixed(func::FuncOp func) {
  Attribute attribute = func->getAttr(attr::kFixed);
  auto fixed = dyn_cast_if_present<DictionaryAttr>(attribute);
  if (attribute && !fixed)
    return func.emitError() << "'" << func.getName() << "': " << attr::kFixed
                            << " is a dictionary of numbers, found " << attribute;
  for (NamedAttribute item : fixed ? fixed.getValue() : ArrayRef<NamedAttribute>()) {
    auto field = schema.findField(item.getName());
    auto value = dyn_cast<IntegerAttr>(item.getValue());
    if (!field)
      return func.emitError() << "'" << func.getName() << "' is made for a value of '"
                              << item.getName().getValue() << "', which is no field of '"
                              << schema.getSymName() << "'" << didYouMean(item.getName(), names);
    if (!value || !value.getValue().isSignedIntN(64))
      return func.emitError() << "'" << func.getName() << "' is made for "
                              << item.getName().getValue() << " = " << item.getValue()
                              << ", which is no number";
  }
  return success();
}

LogicalResult Specializer::collect() {
  for (auto field : schema.getFields().getAsRange<KeyFieldAttr>())
    names.push_back(field.getName());
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!func->hasAttr(attr::kSchema))
      continue;
    auto named = func->getAttrOfType<FlatSymbolRefAttr>(attr::kSchema);
    if (!named || named.getValue() != schema.getSymName())
      return func.emitError() << "'" << func.getName() << "' reads the tiling key "
                              << func->getAttr(attr::kSchema) << "; the module has @"
                              << schema.getSymName();
    if (failed(checkReads(func)) || failed(checkFixed(func)))
      return failure();
    kernels[getKernelName(func)].push_back(func);
  }
  if (kernels.empty())
    return schema.emitError() << "no kernel of the module reads the tiling key '"
                              << schema.getSymName() << "'";
  for (auto func : module.getOps<func::FuncOp>())
    func.walk([&](BlockDispatchOp task) {
      auto kernel = module.lookupSymbol<func::FuncOp>(task.getCallee());
      if (!kernel || !kernel->hasAttr(attr::kSchema) || entries.contains(func))
        return;
      // @kernel__BlockM_128_entry is the entry of @kernel as much as @kernel_entry is.
      StringRef rest = func.getName();
      bool own = rest.consume_front(kernel.getName());
      entries[func] = own ? rest.str() : "";
    });
  bool ok = true;
  for (auto &[entry, rest] : entries)
    ok &= succeeded(checkReads(entry));
  return success(ok);
}

//===----------------------------------------------------------------------===//
// Clones
//===----------------------------------------------------------------------===//

std::optional<int64_t> Specializer::valueOf(const TilingKey &key, StringRef field) {
  auto *found = llvm::find(names, field);
  if (found == names.end())
    return std::nullopt;
  return key.values[found - names.begin()];
}

bool Specializer::agrees(func::FuncOp func, const TilingKey &key) {
  auto fixed = func->getAttrOfType<DictionaryAttr>(attr::kFixed);
  return !fixed || llvm::all_of(fixed, [&](NamedAttribute item) {
    return cast<IntegerAttr>(item.getValue()).getValue().getSExtValue() ==
           *valueOf(key, item.getName());
  });
}

FailureOr<func::FuncOp> Specializer::chooseTemplate(StringRef kernel, const TilingKey &key) {
  SmallVector<func::FuncOp> chosen;
  for (func::FuncOp func : kernels[kernel])
    if (agrees(func, key))
      chosen.push_back(func);
  if (chosen.size() == 1)
    return chosen.front();
  InFlightDiagnostic error = schema.emitError()
                             << "tilingkey '" << keyWord(schema, key)
                             << "': " << (chosen.empty() ? "no template" : "more than one template")
                             << " of '" << kernel << "' is for it";
  for (func::FuncOp func : chosen.empty() ? kernels[kernel] : chosen) {
    Diagnostic &note = error.attachNote(func.getLoc()) << "'" << func.getName() << "' is for ";
    auto fixed = func->getAttrOfType<DictionaryAttr>(attr::kFixed);
    if (!fixed || fixed.empty())
      note << "every key";
    else
      llvm::interleave(
          fixed,
          [&](NamedAttribute item) {
            note << item.getName().getValue() << " = "
                 << cast<IntegerAttr>(item.getValue()).getValue().getSExtValue();
          },
          [&] { note << ", "; });
  }
  return failure();
}

/// Puts the values of the key in the place of its reads, and does what follows.
void Specializer::resolve(func::FuncOp func, const TilingKey &key) {
  func.walk([&](BlockReadKeyOp read) {
    OpBuilder builder(read);
    auto value =
        arith::ConstantIndexOp::create(builder, read.getLoc(), *valueOf(key, read.getField()));
    read.replaceAllUsesWith(value.getResult());
    read.erase();
  });
  foldConstants(func);
}

/// `place`: before it, so that clones stand in the order of the keys.
LogicalResult Specializer::clone(func::FuncOp func, Operation *place, const std::string &name,
                                 const TilingKey &key) {
  if (Operation *other = module.lookupSymbol(name)) {
    InFlightDiagnostic error = func.emitError()
                               << "the clone of '" << func.getName() << "' for the tilingkey '"
                               << keyWord(schema, key) << "' would be '" << name
                               << "', a name that is taken";
    error.attachNote(other->getLoc()) << "it is taken here; rename this function";
    return failure();
  }
  OpBuilder builder(place);
  auto clone = cast<func::FuncOp>(builder.clone(*func));
  clone.setName(name);
  SmallVector<NamedAttribute> fields;
  for (auto [field, value] : llvm::zip(names, key.values))
    fields.push_back(builder.getNamedAttr(field, builder.getI64IntegerAttr(value)));
  clone->setAttr(attr::kKey, builder.getDictionaryAttr(fields));
  clone->setAttr(attr::kPackedKey, builder.getI64IntegerAttr(static_cast<int64_t>(key.packed)));
  for (StringRef gone : {attr::kSchema, attr::kTemplateOf, attr::kFixed})
    clone->removeAttr(gone);
  clone.walk([&](BlockDispatchOp task) {
    auto found = made.find(task.getCallee());
    if (found != made.end())
      task.setCallee(found->second);
  });
  resolve(clone, key);
  return success();
}

LogicalResult Specializer::cloneEntries(const TilingKey &key) {
  for (auto &[entry, rest] : entries) {
    // One that dispatches a template of this kernel for other keys has no clone.
    std::string kernel;
    bool wanted = true;
    entry.walk([&](BlockDispatchOp task) {
      auto func = module.lookupSymbol<func::FuncOp>(task.getCallee());
      if (!func || !func->hasAttr(attr::kSchema))
        return;
      auto found = made.find(func.getName());
      wanted &= found != made.end();
      if (wanted && kernel.empty())
        kernel = found->second;
    });
    if (!wanted)
      continue;
    std::string suffix = "_0x" + llvm::utohexstr(key.packed, /*LowerCase=*/true);
    std::string name = rest.empty() ? entry.getName().str() + suffix : kernel + rest;
    if (failed(clone(entry, entries.front().first, name, key)))
      return failure();
  }
  return success();
}

LogicalResult Specializer::specialize(const TilingKey &key) {
  made.clear();
  std::string suffix = "_0x" + llvm::utohexstr(key.packed, /*LowerCase=*/true);
  for (auto &[kernel, templates] : kernels) {
    FailureOr<func::FuncOp> chosen = chooseTemplate(kernel, key);
    if (failed(chosen))
      return failure();
    std::string name = (kernel + suffix).str();
    if (failed(clone(*chosen, templates.front(), name, key)))
      return failure();
    made[chosen->getName()] = name;
  }
  return cloneEntries(key);
}

void Specializer::finish() {
  for (auto &[entry, rest] : entries)
    entry.erase();
  for (auto &[kernel, templates] : kernels)
    for (func::FuncOp func : templates)
      func.erase();
  schema.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The one schema of the module.
static FailureOr<BlockTilingKeyOp> findSchema(ModuleOp module, StringRef keys) {
  auto schemas = llvm::to_vector(module.getOps<BlockTilingKeyOp>());
  if (schemas.empty())
    return module.emitError() << "keys=" << keys << " names a tiling key, and the module has none";
  if (schemas.size() == 1)
    return schemas.front();
  InFlightDiagnostic error = schemas[1].emitError()
                             << "the module has more than one tiling key, '"
                             << schemas[0].getSymName() << "' and '" << schemas[1].getSymName()
                             << "'; keys=" << keys << " can be of one only";
  error.attachNote(schemas[0].getLoc()) << "the other is here";
  return failure();
}

void SpecializeTilingKey::runOnOperation() {
  ModuleOp module = getOperation();
  if (keys.empty())
    return markAllAnalysesPreserved();
  FailureOr<BlockTilingKeyOp> schema = findSchema(module, keys);
  if (failed(schema))
    return signalPassFailure();
  FailureOr<SmallVector<TilingKey>> requested = parseTilingKeys(*schema, keys);
  Specializer specializer(module, *schema);
  if (failed(requested) || failed(specializer.collect()))
    return signalPassFailure();
  for (const TilingKey &key : *requested)
    if (failed(specializer.specialize(key)))
      return signalPassFailure();
  specializer.finish();
}
