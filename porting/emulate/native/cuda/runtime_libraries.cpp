// Libraries of device code that a program loads, by the runtime's functions.
#include "device.h"
#include "front.h"
#include "kernels.h"
#include "modules.h"

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;

// A cudaLibrary_t is a CUlibrary, a cudaKernel_t a CUkernel.
static_assert(sizeof(cudaLibrary_t) == sizeof(CUlibrary));

namespace {

RuntimeResult load(cudaLibrary_t* library, Status checked) {
  if (library == nullptr) return Status::kInvalidValue;
  if (checked == Status::kSuccess) {
    *library = reinterpret_cast<cudaLibrary_t>(add_library());
  }
  return checked;
}

CUlibrary same(cudaLibrary_t library) {
  return reinterpret_cast<CUlibrary>(library);
}

}  // namespace

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* image,
                                cudaJitOption* /*options*/, void** /*values*/,
                                unsigned /*count*/,
                                cudaLibraryOption* /*library_options*/,
                                void** /*library_values*/,
                                unsigned /*library_count*/) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    return load(library, check_image(image));
  });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* path,
                                    cudaJitOption* /*options*/,
                                    void** /*values*/, unsigned /*count*/,
                                    cudaLibraryOption* /*library_options*/,
                                    void** /*library_values*/,
                                    unsigned /*library_count*/) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    return load(library, check_file(path));
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    return unload_library(same(library));
  });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library,
                                 const char* name) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (kernel == nullptr || name == nullptr) return Status::kInvalidValue;
    Status status = find_library(same(library));
    if (status == Status::kSuccess) {
      status = check_kernel(name, emulator::current_device());
    }
    if (status == Status::kSuccess) {
      *kernel = add_kernel({.host = nullptr, .name = name});
    }
    return status;
  });
}

cudaError_t cudaLibraryGetGlobal(void** address, size_t* size,
                                 cudaLibrary_t library, const char* name) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    const Status status = find_library(same(library));
    if (status != Status::kSuccess) return status;
    return find_global(name, emulator::current_device(), address, size);
  });
}
