// Host AscendC: calls a static-tensor kernel must not make. Each says why when it is compiled.
#pragma once
#include "tensor.h"

namespace AscendC {
#define ASCENDC_HOST_REFUSE(NAME, WHY)                                                             \
  template <auto... V, typename... A> void NAME(A &&...) {                                         \
    static_assert(sizeof...(A) > 9999, #NAME ": " WHY);                                            \
  }
#define ASCENDC_HOST_LEFT_OUT(NAME) ASCENDC_HOST_REFUSE(NAME, "is left out of the host header")
#define ASCENDC_HOST_TPIPE(NAME) ASCENDC_HOST_REFUSE(NAME, "uses TPipe inside, not static-safe")
#if __NPU_ARCH__ == 2201
#define ASCENDC_HOST_950(NAME) ASCENDC_HOST_REFUSE(NAME, "exists on 950 only")
ASCENDC_HOST_950(Neg)
ASCENDC_HOST_950(Subs)
ASCENDC_HOST_950(Divs)
ASCENDC_HOST_950(DataCopyL1ToUB)
ASCENDC_HOST_TPIPE(SyncAll)
#else
// On the 950 they exist and are left out.
#define ASCENDC_HOST_950(NAME) ASCENDC_HOST_LEFT_OUT(NAME)
ASCENDC_HOST_REFUSE(GetTaskRatio, "is not in the 950's list of static-tensor calls")
ASCENDC_HOST_REFUSE(SetMMRowMajor, "is not in the 950's list of static-tensor calls")
ASCENDC_HOST_REFUSE(SetMMColumnMajor, "is not in the 950's list of static-tensor calls")
#endif
ASCENDC_HOST_950(Prelu)
ASCENDC_HOST_950(Ands)
ASCENDC_HOST_950(Ors)
ASCENDC_HOST_950(ExpSub)
ASCENDC_HOST_950(FusedExpSub)
ASCENDC_HOST_950(AbsSub)
ASCENDC_HOST_950(Truncate)
ASCENDC_HOST_950(Interleave)
ASCENDC_HOST_950(DeInterleave)
ASCENDC_HOST_950(MulsCast)
ASCENDC_HOST_950(Mull)
ASCENDC_HOST_950(Scatter)
ASCENDC_HOST_TPIPE(ReduceSum)
ASCENDC_HOST_TPIPE(ReduceMax)
ASCENDC_HOST_TPIPE(ReduceMin)
ASCENDC_HOST_TPIPE(CreateVecIndex)
ASCENDC_HOST_TPIPE(IBSet)
ASCENDC_HOST_TPIPE(IBWait)
ASCENDC_HOST_TPIPE(InitOutput)

// Real and left out here; the 950 lacks MmadWithSparse.
ASCENDC_HOST_LEFT_OUT(SetHF32TransMode)
ASCENDC_HOST_LEFT_OUT(MmadWithSparse)
ASCENDC_HOST_LEFT_OUT(DataSyncBarrier)
ASCENDC_HOST_LEFT_OUT(GetCmpMask)
ASCENDC_HOST_LEFT_OUT(SetCmpMask)
ASCENDC_HOST_LEFT_OUT(RepeatReduceSum)
} // namespace AscendC
