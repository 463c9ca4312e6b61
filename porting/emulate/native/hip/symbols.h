// Variables of device code, by the addresses that the host has for them.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstddef>

namespace eclosion::hip {

struct Symbol {
  void* address = nullptr;
  std::size_t size = 0;
};

// The variable of the current device. hipErrorInvalidSymbol: there is none.
hipError_t find_symbol(const void* symbol, Symbol* found);

// The address of `size` bytes of it; hipErrorInvalidValue: it has less.
hipError_t find_part(const void* symbol, std::size_t offset, std::size_t size,
                     void** address);

}  // namespace eclosion::hip
