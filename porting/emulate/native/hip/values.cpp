// Streams that wait for a value in memory, or write one.
#include <atomic>

#include "copies.h"
#include "front.h"
#include "memory.h"
#include "objects.h"

namespace eclosion::hip {

namespace {

using emulator::Operation;
using emulator::StreamRef;
using emulator::Work;

// hip_runtime_api.h, hipStreamWaitValue32: what each condition is.
template <typename T>
bool holds(T found, T value, T mask, unsigned condition) {
  const T seen = found & mask;
  switch (condition) {
    case hipStreamWaitValueGte:
      return seen >= value;
    case hipStreamWaitValueEq:
      return seen == value;
    case hipStreamWaitValueAnd:
      return (seen & value) != 0;
    default:
      return static_cast<T>(~(seen | (value & mask))) != 0;
  }
}

template <typename T>
hipError_t check(const void* address) {
  const bool is_aligned =
      reinterpret_cast<std::uintptr_t>(address) % sizeof(T) == 0;
  const auto side = emulator::side_of(address);
  const bool is_reached = side != emulator::Side::kPageable &&
                          side != emulator::Side::kFreed &&
                          emulator::bytes_at(address) >= sizeof(T);
  return address != nullptr && is_aligned && is_reached ? hipSuccess
                                                        : hipErrorInvalidValue;
}

// By the emulator's own view: the host's may be shut while a stream works.
template <typename T>
std::atomic_ref<T> value_at(void* address) {
  void* alias = emulator::Memory::get().alias(address);
  return std::atomic_ref<T>(*static_cast<T*>(alias ? alias : address));
}

template <typename T>
hipError_t wait(hipStream_t handle, void* address, T value, unsigned condition,
                T mask, const void* site) {
  if (condition > hipStreamWaitValueNor) return hipErrorInvalidValue;
  const hipError_t status = check<T>(address);
  if (status != hipSuccess) return status;
  const StreamRef stream = find_stream(handle);
  if (stream == nullptr) return invalid_stream();
  Work work;
  work.kind = emulator::NodeKind::kEmpty;
  work.title = {"wait for a value", site};
  work.lane = emulator::Lane::kWatch;
  work.body = [=](Operation&) {
    const T found = value_at<T>(address).load();
    return holds(found, value, mask, condition) ? Status::kSuccess
                                                : Status::kNotReady;
  };
  return number(stream->put(std::move(work)));
}

template <typename T>
hipError_t write(hipStream_t handle, void* address, T value, const void* site) {
  const hipError_t status = check<T>(address);
  if (status != hipSuccess) return status;
  const StreamRef stream = find_stream(handle);
  if (stream == nullptr) return invalid_stream();
  Work work;
  work.kind = emulator::NodeKind::kFill;
  work.title = {"write of a value", site};
  work.body = [=](Operation&) {
    value_at<T>(address).store(value);
    return Status::kSuccess;
  };
  return number(stream->put(std::move(work)));
}

hipError_t put_one(hipStream_t stream, const hipStreamBatchMemOpParams& p,
                   const void* site) {
  const auto& waits = p.waitValue;
  const auto& writes = p.writeValue;
  switch (p.operation) {
    case hipStreamMemOpWaitValue32:
      return wait<std::uint32_t>(stream, waits.address, waits.value,
                                 waits.flags, ~0U, site);
    case hipStreamMemOpWaitValue64:
      return wait<std::uint64_t>(stream, waits.address, waits.value64,
                                 waits.flags, ~std::uint64_t{0}, site);
    case hipStreamMemOpWriteValue32:
      return write<std::uint32_t>(stream, writes.address, writes.value, site);
    case hipStreamMemOpWriteValue64:
      return write<std::uint64_t>(stream, writes.address, writes.value64, site);
    default:
      // hip_runtime_api.h, hipStreamBatchMemOpType: barrier and flush are
      // "currently not supported".
      return hipErrorNotSupported;
  }
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;

extern "C" {

hipError_t hipStreamWaitValue32(hipStream_t stream, void* address,
                                std::uint32_t value, unsigned flags,
                                std::uint32_t mask) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return wait<std::uint32_t>(stream, address, value, flags, mask, site);
  });
}

hipError_t hipStreamWaitValue64(hipStream_t stream, void* address,
                                std::uint64_t value, unsigned flags,
                                std::uint64_t mask) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return wait<std::uint64_t>(stream, address, value, flags, mask, site);
  });
}

hipError_t hipStreamWriteValue32(hipStream_t stream, void* address,
                                 std::uint32_t value, unsigned) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return write<std::uint32_t>(stream, address, value, site);
  });
}

hipError_t hipStreamWriteValue64(hipStream_t stream, void* address,
                                 std::uint64_t value, unsigned) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return write<std::uint64_t>(stream, address, value, site);
  });
}

hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned count,
                               hipStreamBatchMemOpParams* list,
                               unsigned flags) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    if (list == nullptr || count == 0 || flags != 0) {
      return hipErrorInvalidValue;
    }
    for (unsigned i = 0; i < count; ++i) {
      const hipError_t status = put_one(stream, list[i], site);
      if (status != hipSuccess) return status;
    }
    return hipSuccess;
  });
}

}  // extern "C"
