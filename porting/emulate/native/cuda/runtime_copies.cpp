// Copies of memory by the runtime's functions.
#include "copying.h"
#include "front.h"
#include "state.h"

namespace eclosion::cuda {
namespace {

constexpr unsigned kSync = kContext | kNoCapture;

emulator::Placement at(const void* base, std::size_t pitch = 0,
                       std::size_t slice = 0) {
  return {const_cast<void*>(base), pitch, slice};
}

Copy linear(void* to, const void* from, std::size_t size, cudaMemcpyKind kind,
            bool is_async, const void* site) {
  return {at(to),   at(from), {size}, static_cast<Direction>(kind),
          is_async, site};
}

Status check_rows(std::size_t pitch, std::size_t width) {
  return pitch < width ? Status::kInvalidValue : Status::kSuccess;
}

// cudaMemcpy2D (cuda_runtime_api.h): a pitch is at least a row's bytes, with
// an error of its own.
RuntimeResult copy_rows(cudaStream_t stream, const Copy& rows) {
  if (check_rows(rows.to.pitch, rows.box.width) != Status::kSuccess ||
      check_rows(rows.from.pitch, rows.box.width) != Status::kSuccess) {
    return cudaErrorInvalidPitchValue;
  }
  return copy(stream, rows);
}

emulator::Placement placed(const cudaPitchedPtr& pointer,
                           const cudaPos& position) {
  const std::size_t slice = pointer.pitch * pointer.ysize;
  const std::size_t offset =
      position.z * slice + position.y * pointer.pitch + position.x;
  void* base = pointer.ptr == nullptr
                   ? nullptr
                   : static_cast<unsigned char*>(pointer.ptr) + offset;
  return {base, pointer.pitch, slice};
}

// Arrays of textures are not emulated.
RuntimeResult copy_box(cudaStream_t stream, const cudaMemcpy3DParms* p,
                       bool is_async, const void* site) {
  if (p == nullptr) return Status::kInvalidValue;
  if (p->srcArray != nullptr || p->dstArray != nullptr) {
    return Status::kNotSupported;
  }
  const Copy box{placed(p->dstPtr, p->dstPos),
                 placed(p->srcPtr, p->srcPos),
                 {p->extent.width, p->extent.height, p->extent.depth},
                 static_cast<Direction>(p->kind),
                 is_async,
                 site};
  if (box.box.is_empty()) return Status::kSuccess;
  return copy_rows(stream, box);
}

RuntimeResult copy_peer_box(cudaStream_t stream, const cudaMemcpy3DPeerParms* p,
                            bool is_async, const void* site) {
  if (p == nullptr) return Status::kInvalidValue;
  if (!is_device(p->srcDevice) || !is_device(p->dstDevice)) {
    return Status::kInvalidDevice;
  }
  cudaMemcpy3DParms plain{};
  plain.srcArray = p->srcArray;
  plain.srcPos = p->srcPos;
  plain.srcPtr = p->srcPtr;
  plain.dstArray = p->dstArray;
  plain.dstPos = p->dstPos;
  plain.dstPtr = p->dstPtr;
  plain.extent = p->extent;
  plain.kind = cudaMemcpyDeviceToDevice;
  return copy_box(stream, &plain, is_async, site);
}

RuntimeResult copy_between(cudaStream_t stream, void* to, int to_device,
                           const void* from, int from_device, std::size_t size,
                           const void* site) {
  if (!is_device(to_device) || !is_device(from_device)) {
    return Status::kInvalidDevice;
  }
  // cudaMemcpyPeer (cuda_runtime_api.h) is asynchronous to the host.
  return copy(stream,
              linear(to, from, size, cudaMemcpyDeviceToDevice, true, site));
}

}  // namespace
}  // namespace eclosion::cuda

using namespace eclosion::cuda;

cudaError_t cudaMemcpy(void* to, const void* from, size_t size,
                       cudaMemcpyKind kind) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kSync, [&]() -> RuntimeResult {
    return copy(nullptr, linear(to, from, size, kind, false, site));
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return copy(stream, linear(to, from, size, kind, true, site));
  });
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from,
                         size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kSync, [&]() -> RuntimeResult {
    return copy_rows(nullptr, {at(to, to_pitch),
                               at(from, from_pitch),
                               {width, height},
                               static_cast<Direction>(kind),
                               false,
                               site});
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from,
                              size_t from_pitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return copy_rows(stream, {at(to, to_pitch),
                              at(from, from_pitch),
                              {width, height},
                              static_cast<Direction>(kind),
                              true,
                              site});
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kSync, [&]() -> RuntimeResult {
    return copy_box(nullptr, p, false, site);
  });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return copy_box(stream, p, true, site);
  });
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kSync, [&]() -> RuntimeResult {
    return copy_peer_box(nullptr, p, false, site);
  });
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p,
                                  cudaStream_t stream) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return copy_peer_box(stream, p, true, site);
  });
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from,
                           int from_device, size_t size) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kSync, [&]() -> RuntimeResult {
    return copy_between(nullptr, to, to_device, from, from_device, size, site);
  });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from,
                                int from_device, size_t size,
                                cudaStream_t stream) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return copy_between(stream, to, to_device, from, from_device, size, site);
  });
}
