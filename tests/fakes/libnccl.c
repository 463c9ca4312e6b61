/* The part of the NCCL API that a probe calls; RCCL has the same one. */
#include <stdlib.h>

int ncclGetVersion(int *version) {
  *version = 22809;
  return getenv("FAKE_NCCL_STATUS") ? atoi(getenv("FAKE_NCCL_STATUS")) : 0;
}

const char *ncclGetErrorString(int status) {
  return status == 2 ? "unhandled system error" : "other";
}
