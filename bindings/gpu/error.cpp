// The vendor's words for a status, and the exception made of them.
#include "error.h"

#include <utility>

namespace eclosion::gpu {
namespace {

std::string describe(const std::string& call, int code, const std::string& name,
                     const std::string& text) {
  return call + " returned " + std::to_string(code) + " (" + name +
         "): " + text;
}

}  // namespace

GpuError::GpuError(std::string call, int code, std::string name,
                   std::string text)
    : std::runtime_error(describe(call, code, name, text)),
      call_(std::move(call)),
      code_(code),
      name_(std::move(name)),
      text_(std::move(text)) {}

void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw GpuError(call, static_cast<int>(status), cudaGetErrorName(status),
                 cudaGetErrorString(status));
}

}  // namespace eclosion::gpu
