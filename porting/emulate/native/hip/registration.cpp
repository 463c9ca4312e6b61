// What compiled host code calls at start-up, and around each launch.
//
// No header declares the first ones; their forms are those of clang's host code
// for HIP (lib/CodeGen/CGCUDANV.cpp).
#include <cstdio>
#include <utility>
#include <vector>

#include "front.h"
#include "kernels.h"
#include "program.h"

namespace eclosion::hip {

namespace {

using emulator::Program;

struct Configuration {
  dim3 grid;
  dim3 block;
  std::size_t shared = 0;
  hipStream_t stream = nullptr;
  const void* site = nullptr;
};

// The arguments of a launch may launch: configurations nest.
thread_local std::vector<Configuration> configurations;
thread_local const void* launching = nullptr;

// Start-up code has nobody to give an error to.
template <typename Work>
void registering(const char* what, Work work) noexcept {
  try {
    work();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "eclosion: %s could not be registered: %s\n", what,
                 error.what());
  }
}

// A program may have them and never use them.
void tell_texture(const char* name) {
  std::fprintf(stderr,
               "eclosion: %s is a texture or surface, which are not emulated; "
               "calls that bind it return hipErrorNotSupported\n",
               name);
}

}  // namespace

const void* launch_site(const void* site) {
  const void* const asked = std::exchange(launching, nullptr);
  return asked == nullptr ? site : asked;
}

}  // namespace eclosion::hip

using namespace eclosion::hip;

extern "C" {

void** __hipRegisterFatBinary(const void* wrapper) {
  void** image = nullptr;
  registering("an image of device code",
              [&] { image = Program::get().register_image(wrapper); });
  return image;
}

void __hipUnregisterFatBinary(void** image) {
  registering("the end of an image",
              [&] { Program::get().unregister_image(image); });
}

void __hipRegisterFunction(void** image, const void* host, char* /*device*/,
                           const char* name, unsigned /*thread_limit*/,
                           void* /*thread*/, void* /*block*/,
                           void* /*block_dim*/, void* /*grid_dim*/,
                           int* /*wave_size*/) {
  registering(name, [&] { Program::get().register_kernel(image, host, name); });
}

void __hipRegisterVar(void** image, void* host, char* /*device*/,
                      const char* name, int /*is_extern*/, std::size_t size,
                      int is_constant, int /*is_global*/) {
  registering(name, [&] {
    Program::get().register_variable(image, host, name, size, is_constant != 0);
  });
}

void __hipRegisterManagedVar(void** image, void** pointer, void* /*initial*/,
                             const char* name, std::size_t size,
                             unsigned /*alignment*/) {
  registering(name, [&] {
    Program::get().register_managed(image, pointer, name, size);
  });
}

void __hipRegisterTexture(void** /*image*/, void* /*host*/, char* /*device*/,
                          const char* name, int /*kind*/, int /*normalized*/,
                          int /*is_extern*/) {
  tell_texture(name);
}

void __hipRegisterSurface(void** /*image*/, void* /*host*/, char* /*device*/,
                          const char* name, int /*kind*/, int /*is_extern*/) {
  tell_texture(name);
}

// Headers for compilation at run time, which is not emulated: there are none.
void __hipGetPCH(const char** header, unsigned* size) {
  *header = nullptr;
  *size = 0;
}

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                      hipStream_t stream) {
  configurations.push_back(
      {grid, block, shared, stream, __builtin_return_address(0)});
  return hipSuccess;
}

hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block,
                                     std::size_t* shared, hipStream_t* stream) {
  if (configurations.empty()) return remember(hipErrorMissingConfiguration);
  const Configuration last = configurations.back();
  configurations.pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared = last.shared;
  *stream = last.stream;
  launching = last.site;
  return hipSuccess;
}

}  // extern "C"
