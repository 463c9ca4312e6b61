// Managed memory: hints on where it should be, which the emulator keeps and
// tells, as its memory is everywhere.
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "device.h"
#include "front.h"
#include "memory.h"
#include "objects.h"

namespace eclosion::hip {

namespace {

using emulator::Memory;
using emulator::MemoryKind;

// What a program advised of a whole allocation, by its identity.
struct Advice {
  bool is_read_mostly = false;
  bool is_coarse = false;
  int preferred = hipInvalidDeviceId;
  int prefetched = hipInvalidDeviceId;
  std::vector<int> accessed_by;
};

struct Advices {
  std::mutex lock;
  std::map<std::uint64_t, Advice> all;
};

Advices& advices() {
  static auto* table = new Advices;
  return *table;
}

// hip_runtime_api.h, hipMemAdvise: "The memory range must refer to managed
// memory".
hipError_t find_managed(const void* address, std::size_t size,
                        std::uint64_t* id) {
  const auto found = Memory::get().find(address);
  if (address == nullptr || size == 0 || !found ||
      found->kind != MemoryKind::kManaged) {
    return hipErrorInvalidValue;
  }
  const std::size_t offset =
      reinterpret_cast<std::uintptr_t>(address) - found->base;
  if (size > found->size - offset) return hipErrorInvalidValue;
  *id = found->id;
  return hipSuccess;
}

bool is_place(int device) {
  return device == hipCpuDeviceId || is_device(device);
}

hipError_t take(Advice& advice, hipMemoryAdvise what, int device) {
  switch (what) {
    case hipMemAdviseSetReadMostly:
    case hipMemAdviseUnsetReadMostly:
      advice.is_read_mostly = what == hipMemAdviseSetReadMostly;
      return hipSuccess;
    case hipMemAdviseSetPreferredLocation:
      advice.preferred = device;
      return hipSuccess;
    case hipMemAdviseUnsetPreferredLocation:
      advice.preferred = hipInvalidDeviceId;
      return hipSuccess;
    case hipMemAdviseSetAccessedBy:
      std::erase(advice.accessed_by, device);
      advice.accessed_by.push_back(device);
      return hipSuccess;
    case hipMemAdviseUnsetAccessedBy:
      std::erase(advice.accessed_by, device);
      return hipSuccess;
    case hipMemAdviseSetCoarseGrain:
    case hipMemAdviseUnsetCoarseGrain:
      advice.is_coarse = what == hipMemAdviseSetCoarseGrain;
      return hipSuccess;
    default:
      return hipErrorInvalidValue;
  }
}

hipError_t advise(const void* address, std::size_t size, hipMemoryAdvise what,
                  int device) {
  std::uint64_t id = 0;
  const hipError_t status = find_managed(address, size, &id);
  if (status != hipSuccess) return status;
  if (!is_place(device)) return hipErrorInvalidDevice;
  Advices& table = advices();
  const std::lock_guard held(table.lock);
  return take(table.all[id], what, device);
}

hipError_t answer(const Advice& advice, hipMemRangeAttribute attribute,
                  void* data, std::size_t size) {
  std::vector<int> values;
  switch (attribute) {
    case hipMemRangeAttributeReadMostly:
      values = {advice.is_read_mostly ? 1 : 0};
      break;
    case hipMemRangeAttributePreferredLocation:
      values = {advice.preferred};
      break;
    case hipMemRangeAttributeAccessedBy:
      values = advice.accessed_by;
      values.resize(size / sizeof(int), hipInvalidDeviceId);
      break;
    case hipMemRangeAttributeLastPrefetchLocation:
      values = {advice.prefetched};
      break;
    case hipMemRangeAttributeCoherencyMode:
      values = {advice.is_coarse ? hipMemRangeCoherencyModeCoarseGrain
                                 : hipMemRangeCoherencyModeFineGrain};
      break;
    default:
      return hipErrorInvalidValue;
  }
  if (size == 0 || size % sizeof(int) != 0 ||
      values.size() * sizeof(int) != size) {
    return hipErrorInvalidValue;
  }
  std::memcpy(data, values.data(), size);
  return hipSuccess;
}

hipError_t get(void* data, std::size_t size, hipMemRangeAttribute attribute,
               const void* address, std::size_t bytes) {
  std::uint64_t id = 0;
  if (data == nullptr) return hipErrorInvalidValue;
  const hipError_t status = find_managed(address, bytes, &id);
  if (status != hipSuccess) return status;
  Advices& table = advices();
  const std::lock_guard held(table.lock);
  return answer(table.all[id], attribute, data, size);
}

hipError_t prefetch(const void* address, std::size_t size, int device,
                    hipStream_t stream) {
  std::uint64_t id = 0;
  const hipError_t status = find_managed(address, size, &id);
  if (status != hipSuccess) return status;
  if (!is_place(device)) return hipErrorInvalidDevice;
  if (find_stream(stream) == nullptr) return invalid_stream();
  Advices& table = advices();
  const std::lock_guard held(table.lock);
  table.all[id].prefetched = device;
  return hipSuccess;
}

int device_of(const hipMemLocation& location) {
  if (location.type == hipMemLocationTypeDevice) return location.id;
  return location.type == hipMemLocationTypeHost ? hipCpuDeviceId
                                                 : hipInvalidDeviceId;
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;

extern "C" {

hipError_t hipMemAdvise(const void* address, std::size_t size,
                        hipMemoryAdvise advice, int device) {
  return call_outside_capture_since_7(
      __func__, [&] { return advise(address, size, advice, device); });
}

hipError_t hipMemAdvise_v2(const void* address, std::size_t size,
                           hipMemoryAdvise advice, hipMemLocation location) {
  return call_outside_capture_since_7(__func__, [&] {
    return advise(address, size, advice, device_of(location));
  });
}

hipError_t hipMemPrefetchAsync(const void* address, std::size_t size,
                               int device, hipStream_t stream) {
  return call(__func__,
              [&] { return prefetch(address, size, device, stream); });
}

hipError_t hipMemPrefetchAsync_v2(const void* address, std::size_t size,
                                  hipMemLocation location, unsigned flags,
                                  hipStream_t stream) {
  return call(__func__, [&] {
    if (flags != 0) return hipErrorInvalidValue;
    return prefetch(address, size, device_of(location), stream);
  });
}

hipError_t hipMemRangeGetAttribute(void* data, std::size_t size,
                                   hipMemRangeAttribute attribute,
                                   const void* address, std::size_t bytes) {
  return call(__func__,
              [&] { return get(data, size, attribute, address, bytes); });
}

hipError_t hipMemRangeGetAttributes(void** data, std::size_t* sizes,
                                    hipMemRangeAttribute* attributes,
                                    std::size_t count, const void* address,
                                    std::size_t bytes) {
  return call(__func__, [&] {
    if (data == nullptr || sizes == nullptr || attributes == nullptr ||
        count == 0) {
      return hipErrorInvalidValue;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const hipError_t status =
          get(data[i], sizes[i], attributes[i], address, bytes);
      if (status != hipSuccess) return status;
    }
    return hipSuccess;
  });
}

hipError_t hipStreamAttachMemAsync(hipStream_t stream, void* address,
                                   std::size_t size, unsigned flags) {
  return call(__func__, [&]() -> hipError_t {
    if (flags != hipMemAttachGlobal && flags != hipMemAttachHost &&
        flags != hipMemAttachSingle) {
      return hipErrorInvalidValue;
    }
    if (find_stream(stream) == nullptr) return invalid_stream();
    std::uint64_t id = 0;
    return find_managed(address, size == 0 ? 1 : size, &id);
  });
}

}  // extern "C"
