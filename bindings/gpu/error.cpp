// The vendor's words for a status, and the exception made of them.
#include "error.h"

#include <utility>

#include "unsupported.h"

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
    : GpuError(describe(call, code, name, text), call, code, name, text) {}

GpuError::GpuError(const std::string& what, std::string call, int code,
                   std::string name, std::string text)
    : std::runtime_error(what),
      call_(std::move(call)),
      code_(code),
      name_(std::move(name)),
      text_(std::move(text)) {}

void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  const GpuError error(call, static_cast<int>(status), cudaGetErrorName(status),
                       cudaGetErrorString(status));
  if (status == cudaErrorNotSupported) throw UnsupportedError(error);
  throw error;
}

bool check_unless(cudaError_t status, cudaError_t answer, const char* call) {
  if (status == answer) {
    static_cast<void>(cudaGetLastError());
    return false;
  }
  check(status, call);
  return true;
}

}  // namespace eclosion::gpu
