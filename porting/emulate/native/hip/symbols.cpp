// Variables of device code: their addresses, and copies to and from them.
#include "symbols.h"

#include "copying.h"
#include "devices.h"
#include "front.h"
#include "program.h"

namespace eclosion::hip {

hipError_t find_symbol(const void* symbol, Symbol* found) {
  if (symbol == nullptr) return hipErrorInvalidSymbol;
  return number(emulator::Program::get().variable(
      symbol, use_current_device(), &found->address, &found->size));
}

hipError_t find_part(const void* symbol, std::size_t offset, std::size_t size,
                     void** address) {
  Symbol whole;
  const hipError_t status = find_symbol(symbol, &whole);
  if (status != hipSuccess) return status;
  if (offset > whole.size || size > whole.size - offset) {
    return hipErrorInvalidValue;
  }
  *address = static_cast<char*>(whole.address) + offset;
  return hipSuccess;
}

}  // namespace eclosion::hip

using namespace eclosion::hip;

namespace {

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
    Symbol found;
    const hipError_t status = find_symbol(symbol, &found);
    if (status == hipSuccess) *address = found.address;
    return status;
  });
}

hipError_t hipGetSymbolSize(std::size_t* size, const void* symbol) {
  return call(__func__, [&] {
    if (size == nullptr) return hipErrorInvalidValue;
    Symbol found;
    const hipError_t status = find_symbol(symbol, &found);
    if (status == hipSuccess) *size = found.size;
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
