// The functions of this library by their names.
#include <dlfcn.h>

#include <string>

#include "front.h"

namespace eclosion::hip {

namespace {

// The library that this code is in, whatever file it was loaded from.
void* own_library() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&own_library), &info) == 0) return nullptr;
  return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

void* find(const std::string& name) {
  static void* library = own_library();
  return library == nullptr ? nullptr : dlsym(library, name.c_str());
}

// hip_runtime_api.h, hipGetProcAddress: from 6.0 on (600) the struct's name is
// that of the new layout. `release`: 100 times major plus minor.
std::string name_in(const std::string& name, int release) {
  constexpr int kNewLayout = 600;
  const bool is_renamed =
      name == "hipGetDeviceProperties" || name == "hipChooseDevice";
  return is_renamed && release >= kNewLayout ? name + "R0600" : name;
}

void* find_for(const char* symbol, int release, unsigned long long flags) {
  const std::string name = name_in(symbol, release);
  if (flags == hipEnablePerThreadDefaultStream) {
    if (void* found = find(name + "_spt")) return found;
  }
  return find(name);
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;

extern "C" {

hipError_t hipGetProcAddress(const char* symbol, void** function, int release,
                             std::uint64_t flags,
                             hipDriverProcAddressQueryResult* result) {
  return call(__func__, [&] {
    if (symbol == nullptr || function == nullptr ||
        flags > hipEnablePerThreadDefaultStream) {
      return hipErrorInvalidValue;
    }
    *function = find_for(symbol, release, flags);
    if (result != nullptr) {
      *result = *function != nullptr ? HIP_GET_PROC_ADDRESS_SUCCESS
                                     : HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    }
    return *function != nullptr ? hipSuccess : hipErrorNotFound;
  });
}

hipError_t hipGetDriverEntryPoint(const char* symbol, void** function,
                                  unsigned long long flags,
                                  hipDriverEntryPointQueryResult* result) {
  return call(__func__, [&] {
    if (symbol == nullptr || function == nullptr || result == nullptr ||
        flags > hipEnablePerThreadDefaultStream) {
      return hipErrorInvalidValue;
    }
    constexpr int kRelease = HIP_VERSION_MAJOR * 100 + HIP_VERSION_MINOR;
    *function = find_for(symbol, kRelease, flags);
    *result = *function != nullptr ? hipDriverEntryPointSuccess
                                   : hipDriverEntryPointSymbolNotFound;
    return *function != nullptr ? hipSuccess : hipErrorNotFound;
  });
}

hipError_t hipGetDriverEntryPoint_spt(const char* symbol, void** function,
                                      unsigned long long flags,
                                      hipDriverEntryPointQueryResult* result) {
  return hipGetDriverEntryPoint(
      symbol, function,
      flags == hipEnableDefault ? hipEnablePerThreadDefaultStream : flags,
      result);
}

}  // extern "C"
