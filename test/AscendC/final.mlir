// The C++ of the hand-written final kernels, whole. After a change that is meant,
// write each file again with the command of its line.
//
// RUN: pypto-translate --pto-to-ascendc %S/../Final/softmax.mlir | diff %S/../Final/softmax.cpp.expected -
// RUN: pypto-translate --pto-to-ascendc %S/../Final/matmul.mlir | diff %S/../Final/matmul.cpp.expected -
// RUN: pypto-translate --pto-to-ascendc %S/../Final/flash_attention.mlir | diff %S/../Final/flash_attention.cpp.expected -
