// Stands in for AscendCL's acl/acl.h: the calls plain orchestration code makes. Streams run what
// they are given when somebody waits for them, in any order that events allow (by a seed). Device
// memory is registered as a GM region of the host machine.
#pragma once
#include <cstddef>
#include <cstdint>

extern "C" {
typedef int aclError;
typedef void *aclrtStream;
typedef void *aclrtEvent;
enum { ACL_SUCCESS = 0, ACL_ERROR_INVALID_PARAM = 100000, ACL_ERROR_UNINITIALIZE = 100001 };
enum aclrtMemMallocPolicy {
  ACL_MEM_MALLOC_HUGE_FIRST = 0,
  ACL_MEM_MALLOC_HUGE_ONLY,
  ACL_MEM_MALLOC_NORMAL_ONLY
};
enum aclrtMemcpyKind {
  ACL_MEMCPY_HOST_TO_HOST = 0,
  ACL_MEMCPY_HOST_TO_DEVICE,
  ACL_MEMCPY_DEVICE_TO_HOST,
  ACL_MEMCPY_DEVICE_TO_DEVICE,
  ACL_MEMCPY_DEFAULT
};
enum aclrtEventFlag { ACL_EVENT_SYNC = 1, ACL_EVENT_TIME_LINE = 8 };

aclError aclInit(const char *config);
aclError aclFinalize();
aclError aclrtSetDevice(int32_t device);
aclError aclrtResetDevice(int32_t device);
aclError aclrtGetDeviceCount(uint32_t *count);
aclError aclrtSynchronizeDevice();
const char *aclrtGetSocName();
const char *aclGetRecentErrMsg();
aclError aclrtMalloc(void **p, size_t bytes, aclrtMemMallocPolicy policy);
aclError aclrtFree(void *p);
aclError aclrtMallocHost(void **p, size_t bytes);
aclError aclrtFreeHost(void *p);
aclError aclrtMemcpy(void *dst, size_t dstMax, const void *src, size_t n, aclrtMemcpyKind kind);
aclError aclrtMemcpyAsync(void *dst, size_t dstMax, const void *src, size_t n, aclrtMemcpyKind kind,
                          aclrtStream stream);
aclError aclrtMemset(void *p, size_t max, int32_t value, size_t n);
aclError aclrtMemsetAsync(void *p, size_t max, int32_t value, size_t n, aclrtStream stream);
aclError aclrtCreateStream(aclrtStream *stream);
aclError aclrtDestroyStream(aclrtStream stream);
aclError aclrtSynchronizeStream(aclrtStream stream);
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t ms);
aclError aclrtCreateEvent(aclrtEvent *event);
aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag);
aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag);
aclError aclrtDestroyEvent(aclrtEvent event);
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);
aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);
aclError aclrtSynchronizeEvent(aclrtEvent event);
}
