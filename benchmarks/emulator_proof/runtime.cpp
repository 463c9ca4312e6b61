// libcudart.so.13 of the proof: the calls of a small program, done at once on
// the processor.  PROOF_DEVICE_CODE names the library with the kernels.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "fibers.h"

namespace {

using proof::Extent;
using proof::Kernel;

// The runtime's numbers of errors (driver_types.h).
constexpr int kSuccess = 0, kInvalidConfiguration = 9, kInvalidSymbol = 13;
constexpr int kInvalidFunction = 98, kLaunchFailure = 719;
constexpr unsigned kMostThreads = 1024;

struct Call {
  Extent grid, block;
  size_t shared;
  void* stream;
};

std::map<const void*, Kernel> kernels;
std::map<const void*, void*> variables;
void* device_code;
int last_error = kSuccess;
thread_local Call pushed;

void open_device_code() {
  const char* path = getenv("PROOF_DEVICE_CODE");
  if (device_code || !path) return;
  device_code = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (!device_code) fprintf(stderr, "proof: %s\n", dlerror());
}

void* find(const std::string& name) {
  return device_code ? dlsym(device_code, name.c_str()) : nullptr;
}

int launch(const void* function, Extent grid, Extent block, void** arguments) {
  auto kernel = kernels.find(function);
  if (kernel == kernels.end()) return kInvalidFunction;
  unsigned threads = block.x * block.y * block.z;
  if (threads == 0 || threads > kMostThreads) return kInvalidConfiguration;
  if (proof::run_grid(kernel->second, arguments, grid, block)) return kSuccess;
  fprintf(stderr, "proof: a barrier that not all threads come to\n");
  return kLaunchFailure;
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(const void*) {
  static void* handle;
  open_device_code();
  return &handle;
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void**) {}

char __cudaInitModule(void**) { return 1; }

void __cudaRegisterFunction(void**, const void* host, char*, const char* name,
                            unsigned, void*, void*, void*, void*, int*) {
  if (void* entry = find(std::string(name) + "__entry"))
    kernels[host] = reinterpret_cast<Kernel>(entry);
  else
    fprintf(stderr, "proof: no kernel %s\n", name);
}

void __cudaRegisterVar(void**, void* host, char*, char* name, int, size_t, int,
                       int) {
  variables[host] = find(name);
}

int __cudaPushCallConfiguration(Extent grid, Extent block, size_t shared,
                                void* stream) {
  pushed = {grid, block, shared, stream};
  return kSuccess;
}

int __cudaPopCallConfiguration(Extent* grid, Extent* block, size_t* shared,
                               void** stream) {
  *grid = pushed.grid;
  *block = pushed.block;
  *shared = pushed.shared;
  *stream = pushed.stream;
  return kSuccess;
}

int cudaLaunchKernel(const void* function, Extent grid, Extent block,
                     void** arguments, size_t, void*) {
  return last_error = launch(function, grid, block, arguments);
}

int __cudaLaunchKernel(const void* function, Extent grid, Extent block,
                       void** arguments, size_t shared, void* stream) {
  return cudaLaunchKernel(function, grid, block, arguments, shared, stream);
}

int __cudaGetKernel(void** kernel, const void* function) {
  *kernel = const_cast<void*>(function);
  return kSuccess;
}

int cudaMalloc(void** address, size_t size) {
  *address = aligned_alloc(256, (size + 255) & ~size_t{255});
  return kSuccess;
}

int cudaFree(void* address) {
  free(address);
  return kSuccess;
}

int cudaMemcpy(void* to, const void* from, size_t size, int) {
  memmove(to, from, size);
  return kSuccess;
}

int cudaMemcpyAsync(void* to, const void* from, size_t size, int, void*) {
  memmove(to, from, size);
  return kSuccess;
}

int cudaMemset(void* address, int value, size_t size) {
  memset(address, value, size);
  return kSuccess;
}

int cudaMemcpyToSymbol(const void* symbol, const void* from, size_t size,
                       size_t offset, int) {
  auto variable = variables.find(symbol);
  if (variable == variables.end() || !variable->second) return kInvalidSymbol;
  memcpy(static_cast<char*>(variable->second) + offset, from, size);
  return kSuccess;
}

int cudaDeviceSynchronize() { return kSuccess; }

int cudaStreamSynchronize(void*) { return kSuccess; }

int cudaSetDevice(int) { return kSuccess; }

int cudaGetDeviceCount(int* count) {
  *count = 1;
  return kSuccess;
}

int cudaGetLastError() {
  int error = last_error;
  last_error = kSuccess;
  return error;
}

const char* cudaGetErrorString(int error) {
  return error ? "an error" : "no error";
}
}
