// Streams that write a value to memory, or wait until it is there.
#include <atomic>
#include <cstddef>
#include <type_traits>

#include "copies.h"
#include "front.h"
#include "memory.h"
#include "objects.h"

namespace eclosion::cuda {
namespace {

using emulator::Work;

constexpr unsigned kWaitKinds = CU_STREAM_WAIT_VALUE_NOR;  // the last of four

// Where the emulator itself reaches an address; null: no memory of a device, or
// not aligned to the value (cuStreamWaitValue32, cuda.h).
template <typename Value>
Value* reached(CUdeviceptr address) {
  auto* const pointer = reinterpret_cast<Value*>(address);
  if (address % sizeof(Value) != 0 ||
      emulator::side_of(pointer) == emulator::Side::kPageable ||
      emulator::bytes_at(pointer) < sizeof(Value)) {
    return nullptr;
  }
  std::byte* const alias = emulator::Memory::get().alias(pointer);
  return alias != nullptr ? reinterpret_cast<Value*>(alias) : pointer;
}

template <typename Value>
bool is_met(Value found, Value wanted, unsigned kind) {
  switch (kind) {
    case CU_STREAM_WAIT_VALUE_GEQ: {
      using Signed = std::make_signed_t<Value>;
      return static_cast<Signed>(found - wanted) >= 0;
    }
    case CU_STREAM_WAIT_VALUE_EQ:
      return found == wanted;
    case CU_STREAM_WAIT_VALUE_AND:
      return (found & wanted) != 0;
    default:
      return static_cast<Value>(~(found | wanted)) != 0;
  }
}

template <typename Value>
CUresult wait_for(const char* function, CUstream handle, CUdeviceptr address,
                  Value wanted, unsigned flags, const void* site) {
  return driver_call(function, kContext, [&]() -> DriverResult {
    const unsigned kind = flags & ~CU_STREAM_WAIT_VALUE_FLUSH;
    Value* const at = reached<Value>(address);
    if (at == nullptr || kind > kWaitKinds) return Status::kInvalidValue;
    StreamRef stream;
    const Status status = find_stream(handle, &stream);
    if (status != Status::kSuccess) return status;
    Work work;
    work.kind = emulator::NodeKind::kEmpty;
    work.title = {"wait for a value", site};
    work.lane = emulator::Lane::kWatch;
    work.body = [at, wanted, kind](emulator::Operation&) {
      const Value found = std::atomic_ref(*at).load(std::memory_order_acquire);
      return is_met(found, wanted, kind) ? Status::kSuccess : Status::kNotReady;
    };
    return stream->put(std::move(work));
  });
}

template <typename Value>
CUresult write(const char* function, CUstream handle, CUdeviceptr address,
               Value value, unsigned flags, const void* site) {
  return driver_call(function, kContext, [&]() -> DriverResult {
    Value* const at = reached<Value>(address);
    if (at == nullptr ||
        (flags & ~CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER) != 0) {
      return Status::kInvalidValue;
    }
    StreamRef stream;
    const Status status = find_stream(handle, &stream);
    if (status != Status::kSuccess) return status;
    Work work;
    work.kind = emulator::NodeKind::kEmpty;
    work.title = {"write of a value", site};
    work.body = [at, value](emulator::Operation&) {
      std::atomic_ref(*at).store(value, std::memory_order_release);
      return Status::kSuccess;
    };
    return stream->put(std::move(work));
  });
}

}  // namespace
}  // namespace eclosion::cuda

using namespace eclosion::cuda;

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address,
                             cuuint32_t value, unsigned flags) {
  return wait_for(__func__, stream, address, value, flags, ECLOSION_SITE);
}

CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr address,
                             cuuint64_t value, unsigned flags) {
  return wait_for(__func__, stream, address, value, flags, ECLOSION_SITE);
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address,
                              cuuint32_t value, unsigned flags) {
  return write(__func__, stream, address, value, flags, ECLOSION_SITE);
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr address,
                              cuuint64_t value, unsigned flags) {
  return write(__func__, stream, address, value, flags, ECLOSION_SITE);
}
