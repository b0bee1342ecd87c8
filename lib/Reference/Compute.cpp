//===- Compute.cpp - The table of what operations compute --------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Compute.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

static ComputeTable makeTable() {
  ComputeTable table;
  addElementwise(table);
  addRows(table);
  addData(table);
  return table;
}

const ComputeEntry *reference::findCompute(StringRef mnemonic) {
  static const ComputeTable table = makeTable();
  auto found = table.find(mnemonic);
  return found == table.end() ? nullptr : &found->second;
}

SmallVector<Elem, 4> reference::getElems(ValueRange sources, Type result) {
  SmallVector<Elem, 4> elems;
  std::optional<Elem> first;
  for (Value source : sources)
    if (!first && isa<TileType, BufType, RankedTensorType>(source.getType()))
      first = getElem(getElementTypeOf(source.getType()));
  Elem made = *getElem(getElementTypeOf(result));
  for (Value source : sources)
    elems.push_back(isa<TileType, BufType, RankedTensorType>(source.getType())
                        ? *getElem(getElementTypeOf(source.getType()))
                    : source.getType().isIndex() ? Elem::I64 // a place or a number of elements
                                                 : first.value_or(made));
  elems.push_back(made);
  return elems;
}
