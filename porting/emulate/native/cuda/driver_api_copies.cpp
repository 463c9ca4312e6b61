// Copies of memory by the driver's functions.
#include "copying.h"
#include "front.h"

namespace eclosion::cuda {
namespace {

constexpr unsigned kSync = kContext | kNoCapture;

Copy linear(void* to, const void* from, std::size_t size, Direction direction,
            bool is_async, const void* site) {
  return {{to}, {const_cast<void*>(from)}, {size}, direction, is_async, site};
}

void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

// One side of a copy of rows or boxes, as cuda.h's structs have it.
struct End {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  std::size_t x;
  std::size_t y;
  std::size_t z;
  std::size_t pitch;
  std::size_t height;
};

// kNotSupported: arrays of textures, which are not emulated.
Status place(const End& end, const emulator::Box& box,
             emulator::Placement* placement) {
  const void* base = nullptr;
  switch (end.type) {
    case CU_MEMORYTYPE_HOST:
      base = end.host;
      break;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
      base = pointer(end.device);
      break;
    case CU_MEMORYTYPE_ARRAY:
      return Status::kNotSupported;
    default:
      return Status::kInvalidValue;
  }
  if (base == nullptr) return Status::kInvalidValue;
  const std::size_t pitch = end.pitch != 0 ? end.pitch : box.width + end.x;
  const std::size_t height = end.height != 0 ? end.height : box.height + end.y;
  const std::size_t slice = pitch * height;
  if (pitch < box.width + end.x) return Status::kInvalidValue;
  const std::size_t offset = end.z * slice + end.y * pitch + end.x;
  placement->base =
      const_cast<unsigned char*>(static_cast<const unsigned char*>(base)) +
      offset;
  placement->pitch = pitch;
  placement->slice = slice;
  return Status::kSuccess;
}

Direction direction_of(CUmemorytype to, CUmemorytype from) {
  if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED) {
    return Direction::kInferred;
  }
  if (to == CU_MEMORYTYPE_HOST) {
    return from == CU_MEMORYTYPE_HOST ? Direction::kHostToHost
                                      : Direction::kDeviceToHost;
  }
  return from == CU_MEMORYTYPE_HOST ? Direction::kHostToDevice
                                    : Direction::kDeviceToDevice;
}

Status fill_in(const End& to, const End& from, const emulator::Box& box,
               Copy* copy) {
  copy->box = box;
  copy->direction = direction_of(to.type, from.type);
  if (box.is_empty()) return Status::kSuccess;
  const Status status = place(to, box, &copy->to);
  return status != Status::kSuccess ? status : place(from, box, &copy->from);
}

// CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER have these members alike.
template <typename Params>
Status read_slices(const Params& p, Copy* copy) {
  return fill_in({p.dstMemoryType, p.dstHost, p.dstDevice, p.dstXInBytes,
                  p.dstY, p.dstZ, p.dstPitch, p.dstHeight},
                 {p.srcMemoryType, p.srcHost, p.srcDevice, p.srcXInBytes,
                  p.srcY, p.srcZ, p.srcPitch, p.srcHeight},
                 {p.WidthInBytes, p.Height, p.Depth}, copy);
}

DriverResult copy_rows(CUstream stream, const CUDA_MEMCPY2D* p, bool is_async,
                       const void* site) {
  if (p == nullptr) return Status::kInvalidValue;
  Copy wanted;
  wanted.is_async = is_async;
  wanted.site = site;
  const Status status = fill_in({p->dstMemoryType, p->dstHost, p->dstDevice,
                                 p->dstXInBytes, p->dstY, 0, p->dstPitch, 0},
                                {p->srcMemoryType, p->srcHost, p->srcDevice,
                                 p->srcXInBytes, p->srcY, 0, p->srcPitch, 0},
                                {p->WidthInBytes, p->Height}, &wanted);
  return status != Status::kSuccess ? status : copy(stream, wanted);
}

template <typename Params>
DriverResult copy_slices(CUstream stream, const Params* p, bool is_async,
                         const void* site) {
  if (p == nullptr) return Status::kInvalidValue;
  Copy wanted;
  wanted.is_async = is_async;
  wanted.site = site;
  const Status status = read_slices(*p, &wanted);
  return status != Status::kSuccess ? status : copy(stream, wanted);
}

CUresult copy_linear(const char* function, CUstream stream,
                     const Copy& wanted) {
  return driver_call(function, wanted.is_async ? kContext : kSync,
                     [&]() -> DriverResult { return copy(stream, wanted); });
}

Status check_contexts(CUcontext to, CUcontext from) {
  const bool both = find_context(to) && find_context(from);
  return both ? Status::kSuccess : Status::kInvalidContext;
}

}  // namespace

Status read_copy(const CUDA_MEMCPY3D& params, Copy* copy) {
  return read_slices(params, copy);
}

}  // namespace eclosion::cuda

using namespace eclosion::cuda;

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size) {
  return copy_linear(__func__, nullptr,
                     linear(pointer(to), pointer(from), size,
                            Direction::kInferred, false, ECLOSION_SITE));
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size,
                       CUstream stream) {
  return copy_linear(__func__, stream,
                     linear(pointer(to), pointer(from), size,
                            Direction::kInferred, true, ECLOSION_SITE));
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t size) {
  return copy_linear(__func__, nullptr,
                     linear(pointer(to), from, size, Direction::kHostToDevice,
                            false, ECLOSION_SITE));
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t size,
                           CUstream stream) {
  return copy_linear(__func__, stream,
                     linear(pointer(to), from, size, Direction::kHostToDevice,
                            true, ECLOSION_SITE));
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t size) {
  return copy_linear(__func__, nullptr,
                     linear(to, pointer(from), size, Direction::kDeviceToHost,
                            false, ECLOSION_SITE));
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t size,
                           CUstream stream) {
  return copy_linear(__func__, stream,
                     linear(to, pointer(from), size, Direction::kDeviceToHost,
                            true, ECLOSION_SITE));
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t size) {
  return copy_linear(__func__, nullptr,
                     linear(pointer(to), pointer(from), size,
                            Direction::kDeviceToDevice, false, ECLOSION_SITE));
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t size,
                           CUstream stream) {
  return copy_linear(__func__, stream,
                     linear(pointer(to), pointer(from), size,
                            Direction::kDeviceToDevice, true, ECLOSION_SITE));
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, size_t size) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kSync, [&]() -> DriverResult {
    const Status status = check_contexts(to_context, from_context);
    if (status != Status::kSuccess) return status;
    return copy(nullptr, linear(pointer(to), pointer(from), size,
                                Direction::kDeviceToDevice, true, site));
  });
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context,
                           CUdeviceptr from, CUcontext from_context,
                           size_t size, CUstream stream) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    const Status status = check_contexts(to_context, from_context);
    if (status != Status::kSuccess) return status;
    return copy(stream, linear(pointer(to), pointer(from), size,
                               Direction::kDeviceToDevice, true, site));
  });
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D* p) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kSync, [&]() -> DriverResult {
    return copy_rows(nullptr, p, false, site);
  });
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* p) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kSync, [&]() -> DriverResult {
    return copy_rows(nullptr, p, false, site);
  });
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* p, CUstream stream) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return copy_rows(stream, p, true, site);
  });
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D* p) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kSync, [&]() -> DriverResult {
    return copy_slices(nullptr, p, false, site);
  });
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* p, CUstream stream) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return copy_slices(stream, p, true, site);
  });
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* p) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kSync, [&]() -> DriverResult {
    return copy_slices(nullptr, p, false, site);
  });
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* p, CUstream stream) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return copy_slices(stream, p, true, site);
  });
}
