//===- TilingKeys.h - Keys as text -------------------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_TILINGKEYS_H
#define PTO_TRANSFORMS_TILINGKEYS_H

#include "Block/BlockOps.h"

namespace mlir::pto {

/// A key of a schema.
struct TilingKey {
  SmallVector<int64_t> values; // of the schema's fields, in their order
  uint64_t packed = 0;         // the index of each value at the bits of its field
};

/// The keys of a text such as `HasAtten=1,BlockM=128;HasAtten=0,BlockM=64`, each once, in
/// the order of the text. All fields are named and their values are candidates; all that
/// is wrong is reported at the schema.
FailureOr<SmallVector<TilingKey>> parseTilingKeys(BlockTilingKeyOp schema, StringRef text);

/// "HasAtten=1, BlockM=128"
std::string keyWord(BlockTilingKeyOp schema, const TilingKey &key);

/// "; did you mean 'BlockM'?", or nothing if no name is near.
std::string didYouMean(StringRef name, ArrayRef<StringRef> names);

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_TILINGKEYS_H
