// Copies of rows of bytes: hipMemcpy and its kin.
#include "copying.h"
#include "front.h"

using namespace eclosion::hip;

namespace {

// One peer after the other: kinds do not matter then.
hipError_t copy_between(void* to, int to_device, const void* from,
                        int from_device, std::size_t size, hipStream_t stream,
                        Wait wait, const void* site) {
  if (!is_device(to_device) || !is_device(from_device)) {
    return hipErrorInvalidDevice;
  }
  return copy(line(to, from, size, hipMemcpyDefault), stream, wait, site);
}

}  // namespace

extern "C" {

hipError_t hipMemcpy(void* to, const void* from, std::size_t size,
                     hipMemcpyKind kind) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return copy(line(to, from, size, kind), nullptr, Wait::kYes, site);
  });
}

hipError_t hipMemcpyWithStream(void* to, const void* from, std::size_t size,
                               hipMemcpyKind kind, hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture_since_7(__func__, [&] {
    return copy(line(to, from, size, kind), stream, Wait::kYes, site);
  });
}

hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t size,
                          hipMemcpyKind kind, hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return copy(line(to, from, size, kind), stream, Wait::kNo, site);
  });
}

hipError_t hipMemcpyHtoD(hipDeviceptr_t to, const void* from,
                         std::size_t size) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return copy(line(to, from, size, hipMemcpyHostToDevice), nullptr,
                Wait::kYes, site);
  });
}

hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, std::size_t size) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return copy(line(to, from, size, hipMemcpyDeviceToHost), nullptr,
                Wait::kYes, site);
  });
}

hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from,
                         std::size_t size) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return copy(line(to, from, size, hipMemcpyDeviceToDevice), nullptr,
                Wait::kYes, site);
  });
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, const void* from,
                              std::size_t size, hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return copy(line(to, from, size, hipMemcpyHostToDevice), stream, Wait::kNo,
                site);
  });
}

hipError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, std::size_t size,
                              hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return copy(line(to, from, size, hipMemcpyDeviceToHost), stream, Wait::kNo,
                site);
  });
}

hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from,
                              std::size_t size, hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return copy(line(to, from, size, hipMemcpyDeviceToDevice), stream,
                Wait::kNo, site);
  });
}

hipError_t hipMemcpyPeer(void* to, int to_device, const void* from,
                         int from_device, std::size_t size) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return copy_between(to, to_device, from, from_device, size, nullptr,
                        Wait::kYes, site);
  });
}

hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from,
                              int from_device, std::size_t size,
                              hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return copy_between(to, to_device, from, from_device, size, stream,
                        Wait::kNo, site);
  });
}

}  // extern "C"
