// Host AscendC: which chip. __NPU_ARCH__ chooses, as for the vendor's compiler: 2201 is the Ascend
// 910B, which it is without a word, 3510 the Ascend 950. A library holds kernels of one chip.
#pragma once

#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif

#if __NPU_ARCH__ == 2201
#define ASCENDC_HOST_CHIP "910B"
#define ASCENDC_HOST_BY_CHIP(ON_910B, ON_950) ASCENDC_HOST_LIST ON_910B
#elif __NPU_ARCH__ == 3510
#define ASCENDC_HOST_CHIP "950"
#define ASCENDC_HOST_BY_CHIP(ON_910B, ON_950) ASCENDC_HOST_LIST ON_950
#else
#error "the host header knows __NPU_ARCH__ 2201 (Ascend 910B) and 3510 (Ascend 950)"
#endif
// ASCENDC_HOST_BY_CHIP((half, float), (half, float, int32_t)): the list of the chip.
#define ASCENDC_HOST_LIST(...) __VA_ARGS__

namespace ascendc_host {
constexpr bool kIs950 = __NPU_ARCH__ == 3510;
} // namespace ascendc_host
