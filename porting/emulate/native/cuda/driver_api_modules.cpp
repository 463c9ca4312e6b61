// Modules and libraries of device code by the driver's functions.
#include "device.h"
#include "front.h"
#include "kernels.h"
#include "modules.h"

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;

namespace {

DriverResult load(CUmodule* module, Status checked) {
  if (module == nullptr) return Status::kInvalidValue;
  if (checked == Status::kSuccess) {
    *module = add_module(emulator::current_device());
  }
  return checked;
}

}  // namespace

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return load(module, check_file(path));
  });
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return load(module, check_image(image));
  });
}

// What is asked of the compiler of PTX has nothing to act on.
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image,
                            unsigned /*count*/, CUjit_option* /*options*/,
                            void** /*values*/) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return load(module, check_image(image));
  });
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return load(module, check_image(image));
  });
}

CUresult cuModuleUnload(CUmodule module) {
  return driver_call(__func__, kContext,
                     [&]() -> DriverResult { return unload_module(module); });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (mode == nullptr) return Status::kInvalidValue;
    *mode = CU_MODULE_LAZY_LOADING;
    return Status::kSuccess;
  });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle,
                             const char* name) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    if (function == nullptr || name == nullptr) return Status::kInvalidValue;
    Module module;
    Status status = find_module(handle, &module);
    if (status == Status::kSuccess) status = check_kernel(name, module.device);
    if (status == Status::kSuccess) {
      *function = add_function({nullptr, name, module.device});
    }
    return status;
  });
}

CUresult cuModuleGetGlobal(CUdeviceptr* address, size_t* size, CUmodule handle,
                           const char* name) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    Module module;
    const Status status = find_module(handle, &module);
    if (status != Status::kSuccess) return status;
    return find_global(name, module.device, reinterpret_cast<void**>(address),
                       size);
  });
}

CUresult cuLibraryLoadData(CUlibrary* library, const void* image,
                           CUjit_option* /*options*/, void** /*values*/,
                           unsigned /*count*/,
                           CUlibraryOption* /*library_options*/,
                           void** /*library_values*/,
                           unsigned /*library_count*/) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (library == nullptr) return Status::kInvalidValue;
    const Status status = check_image(image);
    if (status == Status::kSuccess) *library = add_library();
    return status;
  });
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path,
                               CUjit_option* /*options*/, void** /*values*/,
                               unsigned /*count*/,
                               CUlibraryOption* /*library_options*/,
                               void** /*library_values*/,
                               unsigned /*library_count*/) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (library == nullptr) return Status::kInvalidValue;
    const Status status = check_file(path);
    if (status == Status::kSuccess) *library = add_library();
    return status;
  });
}

CUresult cuLibraryUnload(CUlibrary library) {
  return driver_call(__func__, kDriver,
                     [&]() -> DriverResult { return unload_library(library); });
}

CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library,
                            const char* name) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (kernel == nullptr || name == nullptr) return Status::kInvalidValue;
    Status status = find_library(library);
    if (status == Status::kSuccess) {
      status = check_kernel(name, emulator::current_device());
    }
    if (status == Status::kSuccess) *kernel = add_kernel({nullptr, name, -1});
    return status;
  });
}

CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return load(module, find_library(library));
  });
}

CUresult cuLibraryGetGlobal(CUdeviceptr* address, size_t* size,
                            CUlibrary library, const char* name) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    const Status status = find_library(library);
    if (status != Status::kSuccess) return status;
    return find_global(name, emulator::current_device(),
                       reinterpret_cast<void**>(address), size);
  });
}

CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    if (function == nullptr) return Status::kInvalidValue;
    const auto code = find_code(kernel);
    if (!code) return Status::kInvalidHandle;
    *function =
        add_function({code->host, code->name, emulator::current_device()});
    return Status::kSuccess;
  });
}
