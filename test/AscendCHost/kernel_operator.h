// Stands in for the vendor's kernel_operator.h: AscendC for the 910B or the 950, static-tensor style,
// run on the host. See README.md. Link ascendc_host.cpp once.
#pragma once
#include "ascendc_host/cast.h"
#include "ascendc_host/cube.h"
#include "ascendc_host/data_copy.h"
#include "ascendc_host/machine.h"
#include "ascendc_host/rearrange.h"
#include "ascendc_host/reduce.h"
#include "ascendc_host/refused.h"
#include "ascendc_host/sync.h"
#include "ascendc_host/vector.h"
