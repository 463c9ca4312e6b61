// Copies of rectangles and boxes. Arrays (textures' memory) are not emulated.
#include "copying.h"
#include "front.h"

using namespace eclosion::hip;
using eclosion::emulator::Placement;

namespace {

// hip_runtime_api.h, hipMemcpy2D: hipErrorInvalidPitchValue.
hipError_t check_pitch(const CopyRequest& request) {
  const std::size_t width = request.box.width;
  const bool fits = width <= request.to.pitch && width <= request.from.pitch;
  return fits || request.box.is_empty() ? hipSuccess
                                        : hipErrorInvalidPitchValue;
}

hipError_t copy_plane(void* to, std::size_t to_pitch, const void* from,
                      std::size_t from_pitch, std::size_t width,
                      std::size_t height, hipMemcpyKind kind,
                      hipStream_t stream, Wait wait, const void* site) {
  const CopyRequest request{
      {to, to_pitch, to_pitch * height},
      {const_cast<void*>(from), from_pitch, from_pitch * height},
      {width, height, 1},
      kind};
  const hipError_t status = check_pitch(request);
  return status != hipSuccess ? status : copy(request, stream, wait, site);
}

Placement move(const Placement& at, std::size_t x, std::size_t y,
               std::size_t z) {
  return {static_cast<char*>(at.base) + x + y * at.pitch + z * at.slice,
          at.pitch, at.slice};
}

Placement placed(const hipPitchedPtr& memory, const hipPos& position) {
  const Placement base{memory.ptr, memory.pitch, memory.pitch * memory.ysize};
  return move(base, position.x, position.y, position.z);
}

hipError_t copy_box(const hipMemcpy3DParms* p, hipStream_t stream, Wait wait,
                    const void* site) {
  if (p == nullptr) return hipErrorInvalidValue;
  if (p->srcArray != nullptr || p->dstArray != nullptr) {
    return hipErrorNotSupported;
  }
  if (p->srcPtr.ptr == nullptr || p->dstPtr.ptr == nullptr) {
    return hipErrorInvalidValue;
  }
  const CopyRequest request{
      placed(p->dstPtr, p->dstPos),
      placed(p->srcPtr, p->srcPos),
      {p->extent.width, p->extent.height, p->extent.depth},
      p->kind};
  const hipError_t status = check_pitch(request);
  return status != hipSuccess ? status : copy(request, stream, wait, site);
}

// One side of a driver's copy: where its memory is by the kind it gives.
hipError_t side(hipMemoryType type, const void* host, hipDeviceptr_t device,
                std::size_t pitch, std::size_t height, Placement* to) {
  if (type == hipMemoryTypeArray) return hipErrorNotSupported;
  const bool is_host = type == hipMemoryTypeHost;
  void* base = is_host ? const_cast<void*>(host) : device;
  if (base == nullptr) return hipErrorInvalidValue;
  *to = {base, pitch, pitch * height};
  return hipSuccess;
}

hipError_t copy_box(const HIP_MEMCPY3D* p, hipStream_t stream, Wait wait,
                    const void* site) {
  if (p == nullptr) return hipErrorInvalidValue;
  CopyRequest request;
  request.box = {p->WidthInBytes, p->Height, p->Depth};
  // A pitch of 0 is that of rows without gaps.
  const auto or_packed = [](std::size_t given, std::size_t packed) {
    return given != 0 ? given : packed;
  };
  hipError_t status = side(p->srcMemoryType, p->srcHost, p->srcDevice,
                           or_packed(p->srcPitch, p->WidthInBytes),
                           or_packed(p->srcHeight, p->Height), &request.from);
  if (status != hipSuccess) return status;
  status = side(p->dstMemoryType, p->dstHost, p->dstDevice,
                or_packed(p->dstPitch, p->WidthInBytes),
                or_packed(p->dstHeight, p->Height), &request.to);
  if (status != hipSuccess) return status;
  request.from = move(request.from, p->srcXInBytes, p->srcY, p->srcZ);
  request.to = move(request.to, p->dstXInBytes, p->dstY, p->dstZ);
  status = check_pitch(request);
  return status != hipSuccess ? status : copy(request, stream, wait, site);
}

hipError_t copy_plane(const hip_Memcpy2D* p, hipStream_t stream, Wait wait,
                      const void* site) {
  if (p == nullptr) return hipErrorInvalidValue;
  HIP_MEMCPY3D box{};
  box.srcXInBytes = p->srcXInBytes;
  box.srcY = p->srcY;
  box.srcMemoryType = p->srcMemoryType;
  box.srcHost = p->srcHost;
  box.srcDevice = p->srcDevice;
  box.srcPitch = p->srcPitch;
  box.dstXInBytes = p->dstXInBytes;
  box.dstY = p->dstY;
  box.dstMemoryType = p->dstMemoryType;
  box.dstHost = p->dstHost;
  box.dstDevice = p->dstDevice;
  box.dstPitch = p->dstPitch;
  box.WidthInBytes = p->WidthInBytes;
  box.Height = p->Height;
  box.Depth = 1;
  return copy_box(&box, stream, wait, site);
}

}  // namespace

extern "C" {

hipError_t hipMemcpy2D(void* to, std::size_t to_pitch, const void* from,
                       std::size_t from_pitch, std::size_t width,
                       std::size_t height, hipMemcpyKind kind) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return copy_plane(to, to_pitch, from, from_pitch, width, height, kind,
                      nullptr, Wait::kYes, site);
  });
}

hipError_t hipMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                            std::size_t from_pitch, std::size_t width,
                            std::size_t height, hipMemcpyKind kind,
                            hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return copy_plane(to, to_pitch, from, from_pitch, width, height, kind,
                      stream, Wait::kNo, site);
  });
}

hipError_t hipMemcpyParam2D(const hip_Memcpy2D* parameters) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return copy_plane(parameters, nullptr, Wait::kYes, site);
  });
}

hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D* parameters) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return copy_plane(parameters, nullptr, Wait::kYes, site);
  });
}

hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D* parameters,
                                 hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__,
              [&] { return copy_plane(parameters, stream, Wait::kNo, site); });
}

hipError_t hipMemcpy3D(const hipMemcpy3DParms* parameters) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return copy_box(parameters, nullptr, Wait::kYes, site);
  });
}

hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* parameters,
                            hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__,
              [&] { return copy_box(parameters, stream, Wait::kNo, site); });
}

hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D* parameters) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return copy_box(parameters, nullptr, Wait::kYes, site);
  });
}

hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D* parameters,
                               hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__,
              [&] { return copy_box(parameters, stream, Wait::kNo, site); });
}

}  // extern "C"
