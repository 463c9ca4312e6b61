// Variables of device code: their addresses, and copies to and from them.
#include "copying.h"
#include "device.h"
#include "devices.h"
#include "front.h"
#include "program.h"

using namespace eclosion::hip;
using eclosion::emulator::Program;
using eclosion::emulator::Status;

namespace {

struct Variable {
  void* address = nullptr;
  std::size_t size = 0;
};

hipError_t find(const void* symbol, Variable* found) {
  if (symbol == nullptr) return hipErrorInvalidSymbol;
  return number(Program::get().variable(symbol, use_current_device(),
                                        &found->address, &found->size));
}

hipError_t find_part(const void* symbol, std::size_t offset, std::size_t size,
                     void** address) {
  Variable variable;
  const hipError_t status = find(symbol, &variable);
  if (status != hipSuccess) return status;
  if (offset > variable.size || size > variable.size - offset) {
    return hipErrorInvalidValue;
  }
  *address = static_cast<char*>(variable.address) + offset;
  return hipSuccess;
}

hipError_t copy_to(const void* symbol, const void* from, std::size_t size,
                   std::size_t offset, hipMemcpyKind kind, hipStream_t stream,
                   Wait wait, const void* site) {
  void* to = nullptr;
  const hipError_t status = find_part(symbol, offset, size, &to);
  if (status != hipSuccess) return status;
  return copy(line(to, from, size, kind), stream, wait, site);
}

hipError_t copy_from(void* to, const void* symbol, std::size_t size,
                     std::size_t offset, hipMemcpyKind kind, hipStream_t stream,
                     Wait wait, const void* site) {
  void* from = nullptr;
  const hipError_t status = find_part(symbol, offset, size, &from);
  if (status != hipSuccess) return status;
  return copy(line(to, from, size, kind), stream, wait, site);
}

}  // namespace

extern "C" {

hipError_t hipGetSymbolAddress(void** address, const void* symbol) {
  return call(__func__, [&] {
    if (address == nullptr) return hipErrorInvalidValue;
    Variable variable;
    const hipError_t status = find(symbol, &variable);
    if (status == hipSuccess) *address = variable.address;
    return status;
  });
}

hipError_t hipGetSymbolSize(std::size_t* size, const void* symbol) {
  return call(__func__, [&] {
    if (size == nullptr) return hipErrorInvalidValue;
    Variable variable;
    const hipError_t status = find(symbol, &variable);
    if (status == hipSuccess) *size = variable.size;
    return status;
  });
}

hipError_t hipMemcpyToSymbol(const void* symbol, const void* from,
                             std::size_t size, std::size_t offset,
                             hipMemcpyKind kind) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return copy_to(symbol, from, size, offset, kind, nullptr, Wait::kYes, site);
  });
}

hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* from,
                                  std::size_t size, std::size_t offset,
                                  hipMemcpyKind kind, hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return copy_to(symbol, from, size, offset, kind, stream, Wait::kNo, site);
  });
}

hipError_t hipMemcpyFromSymbol(void* to, const void* symbol, std::size_t size,
                               std::size_t offset, hipMemcpyKind kind) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return copy_from(to, symbol, size, offset, kind, nullptr, Wait::kYes, site);
  });
}

hipError_t hipMemcpyFromSymbolAsync(void* to, const void* symbol,
                                    std::size_t size, std::size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return copy_from(to, symbol, size, offset, kind, stream, Wait::kNo, site);
  });
}

}  // extern "C"
