// Copies and fills: the vendor's checks, and when the program has to wait.
#include "copying.h"

#include "devices.h"
#include "front.h"
#include "objects.h"

namespace eclosion::hip {

namespace {

using emulator::CaptureState;
using emulator::Side;
using emulator::StreamRef;
using emulator::Work;

bool is_kind(hipMemcpyKind kind) {
  return (kind >= hipMemcpyHostToHost && kind <= hipMemcpyDefault) ||
         kind == hipMemcpyDeviceToDeviceNoCU;
}

// Where a position of pitched memory is.
emulator::Placement placed(const hipPitchedPtr& memory,
                           const hipPos& position) {
  const std::size_t slice = memory.pitch * memory.ysize;
  const std::size_t offset =
      position.x + position.y * memory.pitch + position.z * slice;
  return {static_cast<char*>(memory.ptr) + offset, memory.pitch, slice};
}

bool is_pageable(const void* address) {
  return emulator::side_of(address) == Side::kPageable;
}

// HIP infers where addresses are and heeds the kind only when neither is the
// device's: then it has to be hipMemcpyHostToHost or hipMemcpyDefault.
bool fits(const CopyRequest& request) {
  const bool is_of_host =
      is_pageable(request.to.base) && is_pageable(request.from.base);
  return !is_of_host || request.kind == hipMemcpyHostToHost ||
         request.kind == hipMemcpyDefault;
}

// hip_runtime_api.h, hipMemcpyAsync: "If host or dst are not pinned, the memory
// copy will be performed synchronously."
bool has_to_wait(const CopyRequest& request, Wait wait) {
  return wait == Wait::kYes || is_pageable(request.to.base) ||
         is_pageable(request.from.base);
}

hipError_t put_and_wait(hipStream_t handle, Work work, bool waits) {
  const StreamRef stream = find_stream(handle);
  if (stream == nullptr) return invalid_stream();
  use_device(stream->device());
  const bool is_captured = stream->capture_state() != CaptureState::kNone;
  const Status status = stream->put(std::move(work));
  if (status != Status::kSuccess || !waits || is_captured) {
    return number(status);
  }
  return number(stream->synchronize());
}

}  // namespace

CopyRequest line(void* to, const void* from, std::size_t size,
                 hipMemcpyKind kind) {
  return {{to, size, size},
          {const_cast<void*>(from), size, size},
          {size, 1, 1},
          kind};
}

hipError_t read(const hipMemcpy3DParms* p, CopyRequest* request) {
  if (p == nullptr) return hipErrorInvalidValue;
  if (p->srcArray != nullptr || p->dstArray != nullptr) {
    return hipErrorNotSupported;
  }
  if (p->srcPtr.ptr == nullptr || p->dstPtr.ptr == nullptr) {
    return hipErrorInvalidValue;
  }
  const hipExtent& extent = p->extent;
  *request = {placed(p->dstPtr, p->dstPos),
              placed(p->srcPtr, p->srcPos),
              {extent.width, extent.height, extent.depth},
              p->kind};
  return hipSuccess;
}

hipError_t read(const HIP_MEMCPY3D* p, CopyRequest* request) {
  if (p == nullptr) return hipErrorInvalidValue;
  if (p->srcMemoryType == hipMemoryTypeArray ||
      p->dstMemoryType == hipMemoryTypeArray) {
    return hipErrorNotSupported;
  }
  // A pitch of 0 is that of rows without gaps.
  const auto side = [p](hipMemoryType type, const void* host,
                        hipDeviceptr_t device, std::size_t pitch,
                        std::size_t height) {
    void* base = type == hipMemoryTypeHost ? const_cast<void*>(host) : device;
    return hipPitchedPtr{base, pitch != 0 ? pitch : p->WidthInBytes,
                         p->WidthInBytes, height != 0 ? height : p->Height};
  };
  hipMemcpy3DParms box{};
  box.srcPtr = side(p->srcMemoryType, p->srcHost, p->srcDevice, p->srcPitch,
                    p->srcHeight);
  box.dstPtr = side(p->dstMemoryType, p->dstHost, p->dstDevice, p->dstPitch,
                    p->dstHeight);
  box.srcPos = {p->srcXInBytes, p->srcY, p->srcZ};
  box.dstPos = {p->dstXInBytes, p->dstY, p->dstZ};
  box.extent = {p->WidthInBytes, p->Height, p->Depth};
  box.kind = hipMemcpyDefault;
  return read(&box, request);
}

hipError_t plan(const CopyRequest& request, const void* site, Work* work) {
  if (!is_kind(request.kind)) return hipErrorInvalidMemcpyDirection;
  if (!request.box.is_empty() && !fits(request)) return hipErrorInvalidValue;
  work->parameters = request;
  return number(
      emulator::plan_copy(request.to, request.from, request.box, site, work));
}

hipError_t plan(const FillRequest& request, const void* site, Work* work) {
  work->parameters = request;
  return number(emulator::plan_fill(request.to, request.box, request.value,
                                    request.element, site, work));
}

hipError_t copy(const CopyRequest& request, hipStream_t handle, Wait wait,
                const void* site) {
  Work work;
  const hipError_t status = plan(request, site, &work);
  if (status != hipSuccess || request.box.is_empty()) return status;
  return put_and_wait(handle, std::move(work), has_to_wait(request, wait));
}

hipError_t fill(const FillRequest& request, hipStream_t handle, Wait wait,
                const void* site) {
  Work work;
  const hipError_t status = plan(request, site, &work);
  if (status != hipSuccess || request.box.is_empty()) return status;
  return put_and_wait(handle, std::move(work), wait == Wait::kYes);
}

}  // namespace eclosion::hip
