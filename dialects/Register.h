//===- Register.h - The dialect with all its families ------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REGISTER_H
#define PTO_REGISTER_H

namespace mlir {
class DialectRegistry;
namespace pto {
/// The pto dialect with its operation families, and the upstream dialects that
/// its programs use.
void registerAllDialects(DialectRegistry &registry);
} // namespace pto
} // namespace mlir

#endif // PTO_REGISTER_H
