// Opens the driver and fills the table, one entry point at a time.
#include "tidepool/driver.h"

#include <dlfcn.h>

#include <cstdio>
#include <string>

#include "tidepool/check.h"

namespace tidepool {
namespace {

struct OpenedDriver {
  DriverTable table;
  std::string problem;
};

void* open_library() {
  // A copy that another library has loaded already is the one to share.
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) library = dlopen("libcuda.so", RTLD_NOW);
  return library;
}

template <typename Function>
bool load(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

OpenedDriver open_driver() {
  OpenedDriver opened;
  void* library = open_library();
  if (library == nullptr) {
    opened.problem = "libcuda.so.1 could not be opened; is a driver installed?";
    return opened;
  }
#define TIDEPOOL_LOAD(name)                                     \
  if (!load(library, #name, &opened.table.name##_)) {           \
    opened.problem = "the driver is too old: it has no " #name; \
    return opened;                                              \
  }
  TIDEPOOL_DRIVER_FUNCTIONS(TIDEPOOL_LOAD)
#undef TIDEPOOL_LOAD
#define TIDEPOOL_LOAD(name) (void)load(library, #name, &opened.table.name##_);
  TIDEPOOL_OPTIONAL_DRIVER_FUNCTIONS(TIDEPOOL_LOAD)
#undef TIDEPOOL_LOAD
  const CUresult status = opened.table.cuInit_(0);
  if (status != CUDA_SUCCESS) {
    const char* text = nullptr;
    (void)opened.table.cuGetErrorString_(status, &text);
    opened.problem = std::string("cuInit: ") + (text ? text : "failed");
  }
  return opened;
}

const OpenedDriver& opened_driver() {
  static const OpenedDriver opened = open_driver();
  return opened;
}

}  // namespace

const DriverTable* driver() {
  const OpenedDriver& opened = opened_driver();
  return opened.problem.empty() ? &opened.table : nullptr;
}

const char* driver_problem() { return opened_driver().problem.c_str(); }

const DriverTable& require_driver() {
  const DriverTable* table = driver();
  if (table == nullptr) throw GpuError(driver_problem());
  return *table;
}

PrimaryContext::PrimaryContext(int ordinal) {
  const DriverTable& api = require_driver();
  TIDEPOOL_CHECK_DRIVER(api.cuDeviceGet_(&device_, ordinal));
  TIDEPOOL_CHECK_DRIVER(api.cuDevicePrimaryCtxRetain_(&context_, device_));
}

PrimaryContext::~PrimaryContext() {
  if (context_ == nullptr) return;
  const CUresult status =
      require_driver().cuDevicePrimaryCtxRelease_v2_(device_);
  if (status != CUDA_SUCCESS) {
    std::fprintf(stderr, "tidepool: cuDevicePrimaryCtxRelease_v2 returned %d\n",
                 static_cast<int>(status));
  }
}

}  // namespace tidepool
