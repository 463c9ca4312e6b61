// Variables of device code by the address of their host's stand-in.
#include "copying.h"
#include "device.h"
#include "front.h"
#include "program.h"

namespace eclosion::cuda {
namespace {

Status find_variable(const void* symbol, void** address, std::size_t* size) {
  return emulator::Program::get().variable(symbol, emulator::current_device(),
                                           address, size);
}

struct Part {
  const void* symbol;
  std::size_t size;
  std::size_t offset;
};

// kInvalidValue: more than the variable has from the offset on.
Status find_part(const Part& part, void** address) {
  std::size_t whole = 0;
  const Status status = find_variable(part.symbol, address, &whole);
  if (status != Status::kSuccess) return status;
  if (part.offset > whole || part.size > whole - part.offset) {
    return Status::kInvalidValue;
  }
  *address = static_cast<unsigned char*>(*address) + part.offset;
  return Status::kSuccess;
}

RuntimeResult copy_to(cudaStream_t stream, const Part& part, const void* from,
                      cudaMemcpyKind kind, bool is_async, const void* site) {
  if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
      kind != cudaMemcpyDefault) {
    return Status::kInvalidMemcpyDirection;
  }
  void* to = nullptr;
  const Status status = find_part(part, &to);
  if (status != Status::kSuccess) return status;
  return copy(stream, {{to},
                       {const_cast<void*>(from)},
                       {part.size},
                       static_cast<Direction>(kind),
                       is_async,
                       site});
}

RuntimeResult copy_from(cudaStream_t stream, void* to, const Part& part,
                        cudaMemcpyKind kind, bool is_async, const void* site) {
  if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
      kind != cudaMemcpyDefault) {
    return Status::kInvalidMemcpyDirection;
  }
  void* from = nullptr;
  const Status status = find_part(part, &from);
  if (status != Status::kSuccess) return status;
  return copy(stream, {{to},
                       {from},
                       {part.size},
                       static_cast<Direction>(kind),
                       is_async,
                       site});
}

}  // namespace
}  // namespace eclosion::cuda

using namespace eclosion::cuda;

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (address == nullptr) return Status::kInvalidValue;
    std::size_t size = 0;
    return find_variable(symbol, address, &size);
  });
}

cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (size == nullptr) return Status::kInvalidValue;
    void* address = nullptr;
    return find_variable(symbol, &address, size);
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from,
                               size_t size, size_t offset,
                               cudaMemcpyKind kind) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext | kNoCapture, [&]() -> RuntimeResult {
    return copy_to(nullptr, {symbol, size, offset}, from, kind, false, site);
  });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from,
                                    size_t size, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return copy_to(stream, {symbol, size, offset}, from, kind, true, site);
  });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t size,
                                 size_t offset, cudaMemcpyKind kind) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext | kNoCapture, [&]() -> RuntimeResult {
    return copy_from(nullptr, to, {symbol, size, offset}, kind, false, site);
  });
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t size,
                                      size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return copy_from(stream, to, {symbol, size, offset}, kind, true, site);
  });
}
