// How the functions that copy and fill reach the core.
#pragma once

#include <hip/hip_runtime_api.h>

#include "copies.h"

namespace eclosion::hip {

// Whether the program waits for what it asked for.
enum class Wait { kNo, kYes };

struct CopyRequest {
  emulator::Placement to;
  emulator::Placement from;
  emulator::Box box;
  hipMemcpyKind kind = hipMemcpyDefault;
};

// One row of bytes.
CopyRequest line(void* to, const void* from, std::size_t size,
                 hipMemcpyKind kind);

// Check a request as the vendor's runtime does and make it work.
hipError_t plan(const CopyRequest& request, const void* site,
                emulator::Work* work);

hipError_t copy(const CopyRequest& request, hipStream_t stream, Wait wait,
                const void* site);

// `element`: 1, 2 or 4 bytes; the box's width is in bytes.
hipError_t fill(const emulator::Placement& to, const emulator::Box& box,
                std::uint32_t value, unsigned element, hipStream_t stream,
                Wait wait, const void* site);

}  // namespace eclosion::hip
