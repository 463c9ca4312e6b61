// What the driver knows of a tensor's memory.
#include <c10/util/Exception.h>
#include <dlfcn.h>

#include "cuda/driver.h"
#include "rows.h"

namespace rowops {

const Driver& Driver::get() {
  static const Driver driver = [] {
    void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    TORCH_CHECK(library != nullptr, "no driver: ", dlerror());
    Driver made;
#define ROWOPS_OPEN(name)                                                  \
  made.name##_ = reinterpret_cast<decltype(&name)>(dlsym(library, #name)); \
  TORCH_CHECK(made.name##_ != nullptr, "the driver lacks " #name);
    ROWOPS_DRIVER_FUNCTIONS(ROWOPS_OPEN)
#undef ROWOPS_OPEN
    return made;
  }();
  return driver;
}

size_t bytes_behind(const void* pointer) {
  const Driver& driver = Driver::get();
  const CUdeviceptr address = reinterpret_cast<CUdeviceptr>(pointer);
  CUdeviceptr start = 0;
  size_t size = 0;
  CUresult status =
      driver.cuPointerGetAttribute_(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address);
  if (status == CUDA_SUCCESS) {
    status = driver.cuPointerGetAttribute_(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, address);
  }
  if (status != CUDA_SUCCESS) {
    const char* text = nullptr;
    driver.cuGetErrorString_(status, &text);
    TORCH_CHECK(false, "cuPointerGetAttribute: ", text ? text : "an unknown error");
  }
  return start + size - address;
}

}  // namespace rowops
