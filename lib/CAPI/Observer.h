//===- Observer.h - Watching a run through the C interface -------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_CAPI_OBSERVER_H
#define PTO_CAPI_OBSERVER_H

#include "CAPI/Pypto.h"
#include "Reference/Observer.h"

namespace mlir::pto {

/// Hands what a run does to a C callback.
class CallbackObserver : public reference::Observer {
public:
  explicit CallbackObserver(const PyptoRunOptions &options) : options(options) {
    events = options.events;
    watched = static_cast<const char *>(options.watched);
  }
  bool notify(const reference::Moment &moment) override;

private:
  const PyptoRunOptions &options;
};

} // namespace mlir::pto

#endif // PTO_CAPI_OBSERVER_H
