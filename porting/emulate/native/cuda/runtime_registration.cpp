// What the start-up code of a program calls: its images, kernels and variables
// are handed to the core.
//
// The signatures are those of crt/host_runtime.h, which itself can be included
// by generated code only.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <exception>

#include "program.h"

namespace {

using eclosion::emulator::Program;

// Start-up code has nobody to give an error to.
template <typename Work>
void registering(const char* what, const char* name, Work&& work) noexcept {
  try {
    work();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "emulator: %s %s could not be registered: %s\n", what,
                 name, error.what());
  }
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* image) {
  void** handle = nullptr;
  registering("an image", "of device code",
              [&] { handle = Program::get().register_image(image); });
  return handle;
}

// Nothing is loaded before a kernel or variable is asked for.
void __cudaRegisterFatBinaryEnd(void** /*image*/) {}

void __cudaUnregisterFatBinary(void** image) {
  registering("an image", "that goes",
              [&] { Program::get().unregister_image(image); });
}

char __cudaInitModule(void** /*image*/) { return 1; }

void __cudaRegisterFunction(void** image, const char* host, char* /*device*/,
                            const char* name, int /*thread_limit*/,
                            uint3* /*thread*/, uint3* /*block*/,
                            dim3* /*block_size*/, dim3* /*grid_size*/,
                            int* /*warp_size*/) {
  registering("kernel", name,
              [&] { Program::get().register_kernel(image, host, name); });
}

void __cudaRegisterVar(void** image, char* host, char* /*device*/,
                       const char* name, int /*is_external*/, size_t size,
                       int is_constant, int /*is_global*/) {
  registering("variable", name, [&] {
    Program::get().register_variable(image, host, name, size, is_constant != 0);
  });
}

void __cudaRegisterHostVar(void** image, const char* name, char* host,
                           size_t size) {
  registering("variable", name, [&] {
    Program::get().register_variable(image, host, name, size, false);
  });
}

void __cudaRegisterManagedVar(void** image, void** pointer, char* /*device*/,
                              const char* name, int /*is_external*/,
                              size_t size, int /*is_constant*/,
                              int /*is_global*/) {
  registering("managed variable", name, [&] {
    Program::get().register_managed(image, pointer, name, size);
  });
}

}  // extern "C"
