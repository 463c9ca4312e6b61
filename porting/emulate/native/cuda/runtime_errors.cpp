// The last error of each thread, and the names and sentences of errors.
//
// cudaGetLastError gives the last failure of the calling thread and forgets it;
// one that has broken the context comes again from every call until the device
// is reset (CUDA C++ Programming Guide, "Error Checking").
#include "device.h"
#include "front.h"
#include "stream.h"

namespace eclosion::cuda {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

cudaError_t broken_context() {
  const ContextRef context = current_context();
  if (!context) return cudaSuccess;
  return runtime_code(emulator::device_failure(context->device));
}

}  // namespace

cudaError_t remember(cudaError_t code) {
  if (code != cudaSuccess) last_error = code;
  return code;
}

}  // namespace eclosion::cuda

using namespace eclosion::cuda;

// For functions that are not emulated.
extern "C" cudaError_t eclosion_cuda_remember(cudaError_t code) {
  return remember(code);
}

cudaError_t cudaGetLastError() {
  const cudaError_t code = cudaPeekAtLastError();
  last_error = cudaSuccess;
  return code;
}

cudaError_t cudaPeekAtLastError() {
  if (last_error != cudaSuccess) return last_error;
  return broken_context();
}

const char* cudaGetErrorName(cudaError_t error) {
  const char* name = runtime_error_name(static_cast<int>(error));
  return name != nullptr ? name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  const char* text = runtime_error_name(static_cast<int>(error)) != nullptr
                         ? error_text(static_cast<int>(error))
                         : nullptr;
  return text != nullptr ? text : "unrecognized error code";
}
