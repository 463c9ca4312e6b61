// Libraries of kernels: modules under other names, whose kernels are of every
// device.
#include "front.h"
#include "handles.h"
#include "kernels.h"

namespace eclosion::hip {

namespace {

struct Library {
  hipModule_t module = nullptr;
};

emulator::Handles<hipLibrary_t, Library>& libraries() {
  static auto* all = new emulator::Handles<hipLibrary_t, Library>;
  return *all;
}

hipError_t keep(hipError_t loaded, hipModule_t module, hipLibrary_t* made) {
  if (loaded != hipSuccess) return loaded;
  *made = libraries().add(std::make_shared<Library>(Library{module}));
  return hipSuccess;
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;

extern "C" {

hipError_t hipLibraryLoadData(hipLibrary_t* library, const void* code,
                              hipJitOption**, void**, unsigned,
                              hipLibraryOption**, void**, unsigned) {
  return call(__func__, [&]() -> hipError_t {
    if (library == nullptr) return hipErrorInvalidValue;
    hipModule_t module = nullptr;
    const hipError_t status = hipModuleLoadData(&module, code);
    return keep(status, module, library);
  });
}

hipError_t hipLibraryLoadFromFile(hipLibrary_t* library, const char* path,
                                  hipJitOption**, void**, unsigned,
                                  hipLibraryOption**, void**, unsigned) {
  return call(__func__, [&]() -> hipError_t {
    if (library == nullptr) return hipErrorInvalidValue;
    hipModule_t module = nullptr;
    const hipError_t status = hipModuleLoad(&module, path);
    return keep(status, module, library);
  });
}

hipError_t hipLibraryUnload(hipLibrary_t handle) {
  return call(__func__, [&] {
    const auto library = libraries().take(handle);
    return library == nullptr ? hipErrorInvalidHandle
                              : hipModuleUnload(library->module);
  });
}

hipError_t hipLibraryGetKernel(hipKernel_t* kernel, hipLibrary_t handle,
                               const char* name) {
  return call(__func__, [&]() -> hipError_t {
    const auto library = libraries().find(handle);
    if (kernel == nullptr) return hipErrorInvalidValue;
    if (library == nullptr) return hipErrorInvalidHandle;
    hipFunction_t function = nullptr;
    const hipError_t status =
        hipModuleGetFunction(&function, library->module, name);
    // The two types have one meaning: launches take either.
    if (status == hipSuccess) *kernel = reinterpret_cast<hipKernel_t>(function);
    return status;
  });
}

}  // extern "C"
