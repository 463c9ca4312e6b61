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

// The copy that the vendor's structs ask for. hipErrorNotSupported: of arrays,
// which are textures' memory and not emulated.
hipError_t read(const hipMemcpy3DParms* p, CopyRequest* request);
hipError_t read(const HIP_MEMCPY3D* p, CopyRequest* request);

// Check a request as the vendor's runtime does and make it work.
hipError_t plan(const CopyRequest& request, const void* site,
                emulator::Work* work);

// One fill as it is asked for, and as a graph keeps it.
struct FillRequest {
  emulator::Placement to;
  emulator::Box box;  // the width in bytes
  std::uint32_t value = 0;
  unsigned element = 1;  // bytes of the value: 1, 2 or 4
};

hipError_t plan(const FillRequest& request, const void* site,
                emulator::Work* work);

hipError_t copy(const CopyRequest& request, hipStream_t stream, Wait wait,
                const void* site);
hipError_t fill(const FillRequest& request, hipStream_t stream, Wait wait,
                const void* site);

}  // namespace eclosion::hip
