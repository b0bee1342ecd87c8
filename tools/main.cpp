//===- main.cpp - The executable of all tools ------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CAPI/Pypto.h"

int main(int argc, char **argv) { return pyptoToolMain(argc, argv); }
