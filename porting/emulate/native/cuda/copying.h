// Copies and fills as both libraries ask for them: which way, in which stream,
// and when the caller goes on.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

#include "copies.h"
#include "statuses.h"

namespace eclosion::cuda {

// The numbers of cudaMemcpyKind.
enum class Direction {
  kHostToHost,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kInferred,
};

struct Copy {
  emulator::Placement to;
  emulator::Placement from;
  emulator::Box box;
  Direction direction = Direction::kInferred;
  bool is_async = false;
  const void* site = nullptr;
};

// Whether the addresses are what a direction says; kInvalidMemcpyDirection: no
// such direction.
Status check_direction(const Copy& copy);

// When a copy returns: CUDA Runtime API, "API synchronization behavior". What
// goes to pageable memory has arrived; what comes from there has been read;
// copies on the device are waited for by nobody.
Status copy(CUstream stream, const Copy& copy);

// A copy of a box as the driver's struct has it; kNotSupported: arrays of
// textures.
Status read_copy(const CUDA_MEMCPY3D& params, Copy* copy);

struct Fill {
  emulator::Placement to;
  emulator::Box box;  // the width in bytes
  std::uint32_t value = 0;
  unsigned element = 1;
  bool is_async = false;
  const void* site = nullptr;
};

// One that is not asynchronous waits where the target is pinned or managed
// memory (the same section).
Status fill(CUstream stream, const Fill& fill);

// What a graph keeps of its copies and fills.
struct CopyNode {
  Copy copy;
};
struct FillNode {
  Fill fill;
};

}  // namespace eclosion::cuda
