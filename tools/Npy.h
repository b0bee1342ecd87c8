//===- Npy.h - Arrays in NumPy's file format -------------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TOOLS_NPY_H
#define PTO_TOOLS_NPY_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace mlir::pto {

/// An array of a .npy file: FP16, BF16 (two-byte void, as ml_dtypes writes it),
/// FP32 or integers, whose sign the type does not say, row by row.
struct NpyArray {
  SmallVector<int64_t> shape;
  Type elementType;
  std::vector<char> bytes;
};

llvm::Expected<NpyArray> readNpy(StringRef path, MLIRContext *context);
llvm::Error writeNpy(StringRef path, const NpyArray &array);

} // namespace mlir::pto

#endif // PTO_TOOLS_NPY_H
