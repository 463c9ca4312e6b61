// Fills of memory by the runtime's functions: bytes, rows, boxes.
#include "copying.h"
#include "front.h"

namespace eclosion::cuda {
namespace {

Fill bytes(void* to, std::size_t pitch, std::size_t slice, emulator::Box box,
           int value, bool is_async, const void* site) {
  return {{to, pitch, slice}, box, static_cast<std::uint32_t>(value), 1,
          is_async,           site};
}

RuntimeResult fill_box(cudaStream_t stream, const cudaPitchedPtr& to, int value,
                       const cudaExtent& extent, bool is_async,
                       const void* site) {
  return fill(stream, bytes(to.ptr, to.pitch, to.pitch * to.ysize,
                            {extent.width, extent.height, extent.depth}, value,
                            is_async, site));
}

}  // namespace
}  // namespace eclosion::cuda

using namespace eclosion::cuda;

cudaError_t cudaMemset(void* to, int value, size_t size) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return fill(nullptr, bytes(to, 0, 0, {size}, value, false, site));
  });
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t size,
                            cudaStream_t stream) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return fill(stream, bytes(to, 0, 0, {size}, value, true, site));
  });
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width,
                         size_t height) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return fill(nullptr,
                bytes(to, pitch, 0, {width, height}, value, false, site));
  });
}

cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width,
                              size_t height, cudaStream_t stream) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return fill(stream,
                bytes(to, pitch, 0, {width, height}, value, true, site));
  });
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return fill_box(nullptr, to, value, extent, false, site);
  });
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                              cudaStream_t stream) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return fill_box(stream, to, value, extent, true, site);
  });
}
