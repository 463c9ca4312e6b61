// Modules: handles under which a program asks for functions by their names.
//
// The code of a module is that of the sidecars, by the kernel's mangled name;
// what a module was loaded from is only checked to be there.
#include <cstdio>

#include "device.h"
#include "devices.h"
#include "front.h"
#include "handles.h"
#include "kernels.h"
#include "program.h"

namespace eclosion::hip {

namespace {

struct Module {
  int device = 0;
};

emulator::Handles<hipModule_t, Module>& modules() {
  static auto* all = new emulator::Handles<hipModule_t, Module>;
  return *all;
}

hipError_t load(hipModule_t* made) {
  *made = modules().add(std::make_shared<Module>(Module{use_current_device()}));
  return hipSuccess;
}

// hipErrorFileNotFound; a file without content is hipErrorInvalidImage from 7.0
// on (HIP documentation, "HIP API 7.0 changes", "hipModuleLoad").
hipError_t check_file(const char* path) {
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) return hipErrorFileNotFound;
  const bool is_empty = std::fgetc(file) == EOF;
  std::fclose(file);
  if (!is_empty) return hipSuccess;
  return release_is_at_least(7) ? hipErrorInvalidImage : hipErrorInvalidValue;
}

hipError_t load_image(hipModule_t* module, const void* image) {
  if (module == nullptr || image == nullptr) return hipErrorInvalidValue;
  return load(module);
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;
using eclosion::emulator::Program;

extern "C" {

hipError_t hipModuleLoad(hipModule_t* module, const char* path) {
  return call(__func__, [&]() -> hipError_t {
    if (module == nullptr || path == nullptr) return hipErrorInvalidValue;
    const hipError_t status = check_file(path);
    return status != hipSuccess ? status : load(module);
  });
}

hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  return call(__func__, [&] { return load_image(module, image); });
}

hipError_t hipModuleLoadFatBinary(hipModule_t* module, const void* image) {
  return call(__func__, [&] { return load_image(module, image); });
}

hipError_t hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned,
                               hipJitOption*, void**) {
  return call(__func__, [&] { return load_image(module, image); });
}

hipError_t hipModuleUnload(hipModule_t module) {
  return call(__func__, [&] {
    return modules().take(module) != nullptr ? hipSuccess
                                             : hipErrorInvalidHandle;
  });
}

hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module,
                                const char* name) {
  return call(__func__, [&]() -> hipError_t {
    if (function == nullptr || name == nullptr) return hipErrorInvalidValue;
    const auto found = modules().find(module);
    if (found == nullptr) return hipErrorInvalidHandle;
    eclosion::emulator::Kernel* kernel = nullptr;
    const Status status =
        Program::get().kernel_by_name(name, found->device, &kernel);
    // hip_runtime_api.h: hipErrorNotFound.
    if (status != Status::kSuccess) return hipErrorNotFound;
    *function = handle_of({nullptr, name});
    return hipSuccess;
  });
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t* address, std::size_t* size,
                              hipModule_t module, const char* name) {
  return call(__func__, [&]() -> hipError_t {
    if (name == nullptr) return hipErrorInvalidValue;
    const auto found = modules().find(module);
    if (found == nullptr) return hipErrorInvalidHandle;
    void* at = nullptr;
    std::size_t bytes = 0;
    const Status status =
        Program::get().variable_by_name(name, found->device, &at, &bytes);
    if (status != Status::kSuccess) return hipErrorNotFound;
    if (address != nullptr) *address = at;
    if (size != nullptr) *size = bytes;
    return hipSuccess;
  });
}

const char* hipKernelNameRef(hipFunction_t handle) {
  const auto function = find_function(handle);
  eclosion::emulator::Kernel* kernel = nullptr;
  const bool is_known =
      function != nullptr && begin() == hipSuccess &&
      find_kernel(*function, eclosion::emulator::current_device(), &kernel) ==
          hipSuccess;
  return is_known ? kernel->record->name : nullptr;
}

const char* hipKernelNameRefByPtr(const void* function, hipStream_t) {
  eclosion::emulator::Kernel* kernel = nullptr;
  const bool is_known =
      function != nullptr && begin() == hipSuccess &&
      find_kernel({function}, eclosion::emulator::current_device(), &kernel) ==
          hipSuccess;
  return is_known ? kernel->record->name : nullptr;
}

}  // extern "C"
