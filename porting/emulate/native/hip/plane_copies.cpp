// Copies of rectangles and boxes. Arrays (textures' memory) are not emulated.
#include "copying.h"
#include "front.h"

using namespace eclosion::hip;

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

// `p`: either of the vendor's structs.
template <typename Parameters>
hipError_t copy_box(const Parameters* p, hipStream_t stream, Wait wait,
                    const void* site) {
  CopyRequest request;
  hipError_t status = read(p, &request);
  if (status == hipSuccess) status = check_pitch(request);
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
