// Copies between devices of boxes, and many copies by one call.
#include "copying.h"
#include "front.h"

using namespace eclosion::hip;

namespace {

// The same copy without its devices: addresses say where memory is.
hipError_t copy_box(const hipMemcpy3DPeerParms* p, hipStream_t stream,
                    bool is_asynchronous) {
  if (p == nullptr) return hipErrorInvalidValue;
  if (!is_device(p->srcDevice) || !is_device(p->dstDevice)) {
    return hipErrorInvalidDevice;
  }
  hipMemcpy3DParms box{};
  box.srcArray = p->srcArray;
  box.srcPos = p->srcPos;
  box.srcPtr = p->srcPtr;
  box.dstArray = p->dstArray;
  box.dstPos = p->dstPos;
  box.dstPtr = p->dstPtr;
  box.extent = p->extent;
  box.kind = hipMemcpyDefault;
  return is_asynchronous ? hipMemcpy3DAsync(&box, stream) : hipMemcpy3D(&box);
}

}  // namespace

extern "C" {

hipError_t hipMemcpy3DPeer(hipMemcpy3DPeerParms* parameters) {
  return call_outside_capture(
      __func__, [&] { return copy_box(parameters, nullptr, false); });
}

hipError_t hipMemcpy3DPeerAsync(hipMemcpy3DPeerParms* parameters,
                                hipStream_t stream) {
  return call(__func__, [&] { return copy_box(parameters, stream, true); });
}

// The attributes are hints. *wrong is the number of the copy that cannot be
// made, or no number of one where the call itself is wrong.
hipError_t hipMemcpyBatchAsync(void** to, void** from, std::size_t* sizes,
                               std::size_t count, hipMemcpyAttributes*,
                               std::size_t*, std::size_t, std::size_t* wrong,
                               hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&]() -> hipError_t {
    if (wrong != nullptr) *wrong = SIZE_MAX;
    if (to == nullptr || from == nullptr || sizes == nullptr || count == 0) {
      return hipErrorInvalidValue;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const hipError_t status =
          copy(line(to[i], from[i], sizes[i], hipMemcpyDefault), stream,
               Wait::kNo, site);
      if (status == hipSuccess) continue;
      if (wrong != nullptr) *wrong = i;
      return status;
    }
    return hipSuccess;
  });
}

}  // extern "C"
