/* A HIP runtime that does what the FAKE_HIP_* variables say. */
#include <stdlib.h>

static int number(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text ? atoi(text) : otherwise;
}

int hipGetDeviceCount(int *count) {
  *count = number("FAKE_HIP_DEVICES", 1);
  return number("FAKE_HIP_STATUS", 0);
}

int hipRuntimeGetVersion(int *version) {
  *version = 70125424;
  return 0;
}

const char *hipGetErrorString(int status) {
  return status == 100 ? "no ROCm-capable device is detected" : 0;
}
