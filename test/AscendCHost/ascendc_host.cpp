// Host AscendC: everything that is no template, compiled once and linked with the kernels.
#include "ascendc_host/impl/acl.h"
#include "ascendc_host/impl/cube.h"
#include "ascendc_host/impl/data_copy.h"
#include "ascendc_host/impl/scheduler.h"
#include "ascendc_host/impl/vector_call.h"
#include "kernel_operator.h"
