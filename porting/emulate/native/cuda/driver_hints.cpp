// What of a hint can be wrong.
#include "hints.h"

#include <cstdint>

#include "memory.h"
#include "objects.h"
#include "state.h"

namespace eclosion::cuda {
namespace {

// Hints are for managed memory (cuMemAdvise, cuda.h).
Status check_managed(const void* address, std::size_t size) {
  const auto found = emulator::Memory::get().find(address);
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (!found || found->kind != emulator::MemoryKind::kManaged || size == 0 ||
      size > found->end() - at) {
    return Status::kInvalidValue;
  }
  return Status::kSuccess;
}

Status check_location(const CUmemLocation& location) {
  switch (location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
      return is_device(location.id) ? Status::kSuccess : Status::kInvalidDevice;
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
      return Status::kSuccess;
    default:
      return Status::kInvalidValue;
  }
}

}  // namespace

Status check_advice(const void* address, std::size_t size, CUmem_advise advice,
                    const CUmemLocation& location) {
  if (advice < CU_MEM_ADVISE_SET_READ_MOSTLY ||
      advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY) {
    return Status::kInvalidValue;
  }
  const bool has_place = advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION ||
                         advice == CU_MEM_ADVISE_SET_ACCESSED_BY ||
                         advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
  const Status status = has_place ? check_location(location) : Status::kSuccess;
  return status != Status::kSuccess ? status : check_managed(address, size);
}

Status check_prefetch(const void* address, std::size_t size,
                      const CUmemLocation& location, unsigned flags,
                      CUstream handle) {
  if (flags != 0) return Status::kInvalidValue;
  StreamRef stream;
  Status status = find_stream(handle, &stream);
  if (status == Status::kSuccess) status = check_location(location);
  return status != Status::kSuccess ? status : check_managed(address, size);
}

}  // namespace eclosion::cuda
