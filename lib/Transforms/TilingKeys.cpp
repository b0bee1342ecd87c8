//===- TilingKeys.cpp - Keys as text ---------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/TilingKeys.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::pto;

std::string pto::didYouMean(StringRef name, ArrayRef<StringRef> names) {
  StringRef best;
  unsigned least = name.size() / 3 + 1; // as far as a slip goes
  for (StringRef other : names) {
    bool same = name.equals_insensitive(other);
    unsigned distance = same ? 0 : name.edit_distance(other, /*AllowReplacements=*/true, least);
    if (distance > least || (!best.empty() && distance == least))
      continue;
    least = distance;
    best = other;
  }
  return best.empty() ? "" : ("; did you mean '" + best + "'?").str();
}

std::string pto::keyWord(BlockTilingKeyOp schema, const TilingKey &key) {
  std::string word;
  for (auto [field, value] : llvm::zip(schema.getFields().getAsRange<KeyFieldAttr>(), key.values))
    word += (word.empty() ? "" : ", ") + field.getName().str() + "=" + std::to_string(value);
  return word;
}

namespace {
/// Reads one key and says all that is wrong with it.
class KeyReader {
public:
  KeyReader(BlockTilingKeyOp schema, StringRef text) : schema(schema), text(text.trim()) {
    for (auto field : schema.getFields().getAsRange<KeyFieldAttr>())
      names.push_back(field.getName());
    given.resize(names.size());
  }
  FailureOr<TilingKey> read();

private:
  void readItem(StringRef item);
  void checkMissing();
  InFlightDiagnostic fail() {
    failedAny = true;
    return schema.emitError() << "tilingkey '" << text << "': ";
  }

  BlockTilingKeyOp schema;
  StringRef text;
  SmallVector<StringRef> names;
  SmallVector<std::optional<int64_t>> given;
  SmallVector<bool> named = SmallVector<bool>(schema.getFields().size());
  bool failedAny = false;
};
} // namespace

static std::string candidatesWord(KeyFieldAttr field) {
  return "[" +
         llvm::join(llvm::map_range(field.getValues(), [](int64_t v) { return llvm::itostr(v); }),
                    ", ") +
         "]";
}

void KeyReader::readItem(StringRef item) {
  auto [name, number] = item.split('=');
  name = name.trim();
  number = number.trim();
  auto *found = llvm::find(names, name);
  if (!item.contains('=') || name.empty()) {
    fail() << "'" << item << "' is no <field>=<value>";
    return;
  }
  if (found == names.end()) {
    fail() << "'" << name << "' is no field of '" << schema.getSymName() << "'"
           << didYouMean(name, names);
    return;
  }
  unsigned index = found - names.begin();
  auto field = cast<KeyFieldAttr>(schema.getFields()[index]);
  if (named[index]) {
    fail() << "names the field '" << name << "' twice";
    return;
  }
  named[index] = true;
  int64_t value;
  if (number.getAsInteger(0, value) || !llvm::is_contained(field.getValues(), value)) {
    fail() << "field '" << name << "' value " << (number.empty() ? "''" : number)
           << " is not a candidate; allowed: " << candidatesWord(field);
    return;
  }
  given[index] = value;
}

void KeyReader::checkMissing() {
  for (auto [index, name] : llvm::enumerate(names))
    if (!named[index])
      fail() << "the field '" << name << "' is missing; its candidates are "
             << candidatesWord(cast<KeyFieldAttr>(schema.getFields()[index]));
}

FailureOr<TilingKey> KeyReader::read() {
  SmallVector<StringRef> items;
  text.split(items, ',');
  for (StringRef item : items)
    readItem(item.trim());
  checkMissing();
  if (failedAny)
    return failure();
  TilingKey key;
  int64_t below = 0;
  for (auto [field, value] : llvm::zip(schema.getFields().getAsRange<KeyFieldAttr>(), given)) {
    key.values.push_back(*value);
    uint64_t place = llvm::find(field.getValues(), *value) - field.getValues().begin();
    key.packed |= place << below;
    below += field.getBits();
  }
  return key;
}

FailureOr<SmallVector<TilingKey>> pto::parseTilingKeys(BlockTilingKeyOp schema, StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ';');
  SmallVector<TilingKey> keys;
  bool failedAny = false;
  for (StringRef part : parts) {
    FailureOr<TilingKey> key = KeyReader(schema, part).read();
    failedAny |= failed(key);
    if (succeeded(key) &&
        llvm::none_of(keys, [&](const TilingKey &other) { return other.packed == key->packed; }))
      keys.push_back(*key);
  }
  if (failedAny)
    return failure();
  return keys;
}
