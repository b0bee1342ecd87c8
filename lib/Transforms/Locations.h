//===- Locations.h - Names and places of what passes insert -------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// What a pass inserts has the line of the operation that made it necessary and
// a name that begins with the author's.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_LOCATIONS_H
#define PTO_TRANSFORMS_LOCATIONS_H

#include "Pto/Words.h"

namespace mlir::pto {

/// The place of a location that may carry a name.
inline Location withoutName(Location loc) {
  while (auto name = dyn_cast<NameLoc>(loc))
    loc = name.getChildLoc();
  return loc;
}

/// `<name of value>_<suffix>` at `where`; only the place if the value has no name.
inline Location withSuffix(Value value, StringRef suffix, Location where) {
  StringRef name = nameOf(value);
  where = withoutName(where);
  if (name.empty())
    return where;
  return NameLoc::get(StringAttr::get(where.getContext(), name + "_" + suffix), where);
}

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_LOCATIONS_H
