// Fills: the functions of hipMemset.
#include "copying.h"
#include "front.h"

using namespace eclosion::hip;
using eclosion::emulator::Box;
using eclosion::emulator::Placement;

namespace {

hipError_t fill_line(void* to, std::uint32_t value, unsigned element,
                     std::size_t count, hipStream_t stream, Wait wait,
                     const void* site) {
  std::size_t size = 0;
  if (__builtin_mul_overflow(count, element, &size)) {
    return hipErrorInvalidValue;
  }
  return fill({{to, size, size}, {size, 1, 1}, value, element}, stream, wait,
              site);
}

// `width`: in elements.
hipError_t fill_plane(void* to, std::size_t pitch, std::uint32_t value,
                      unsigned element, std::size_t width, std::size_t height,
                      hipStream_t stream, Wait wait, const void* site) {
  std::size_t size = 0;
  if (__builtin_mul_overflow(width, element, &size)) {
    return hipErrorInvalidValue;
  }
  return fill({{to, pitch, pitch * height}, {size, height, 1}, value, element},
              stream, wait, site);
}

hipError_t fill_box(const hipPitchedPtr& to, std::uint32_t value,
                    const hipExtent& extent, hipStream_t stream, Wait wait,
                    const void* site) {
  const Placement at{to.ptr, to.pitch, to.pitch * to.ysize};
  return fill({at, {extent.width, extent.height, extent.depth}, value, 1},
              stream, wait, site);
}

std::uint32_t bits(int value) { return static_cast<std::uint32_t>(value); }

}  // namespace

extern "C" {

// hip_runtime_api.h says of the forms with Async only that they are
// "asynchronous with respect to the host"; the others wait.
hipError_t hipMemset(void* to, int value, std::size_t size) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return fill_line(to, bits(value), 1, size, nullptr, Wait::kYes, site);
  });
}
hipError_t hipMemsetAsync(void* to, int value, std::size_t size,
                          hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return fill_line(to, bits(value), 1, size, stream, Wait::kNo, site);
  });
}

hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value,
                       std::size_t count) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return fill_line(to, value, 1, count, nullptr, Wait::kYes, site);
  });
}
hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value,
                            std::size_t count, hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return fill_line(to, value, 1, count, stream, Wait::kNo, site);
  });
}

hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value,
                        std::size_t count) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return fill_line(to, value, 2, count, nullptr, Wait::kYes, site);
  });
}
hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value,
                             std::size_t count, hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return fill_line(to, value, 2, count, stream, Wait::kNo, site);
  });
}

hipError_t hipMemsetD32(hipDeviceptr_t to, int value, std::size_t count) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return fill_line(to, bits(value), 4, count, nullptr, Wait::kYes, site);
  });
}
hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, std::size_t count,
                             hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return fill_line(to, bits(value), 4, count, stream, Wait::kNo, site);
  });
}

hipError_t hipMemset2D(void* to, std::size_t pitch, int value,
                       std::size_t width, std::size_t height) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return fill_plane(to, pitch, bits(value), 1, width, height, nullptr,
                      Wait::kYes, site);
  });
}
hipError_t hipMemset2DAsync(void* to, std::size_t pitch, int value,
                            std::size_t width, std::size_t height,
                            hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return fill_plane(to, pitch, bits(value), 1, width, height, stream,
                      Wait::kNo, site);
  });
}

hipError_t hipMemset3D(hipPitchedPtr to, int value, hipExtent extent) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return fill_box(to, bits(value), extent, nullptr, Wait::kYes, site);
  });
}
hipError_t hipMemset3DAsync(hipPitchedPtr to, int value, hipExtent extent,
                            hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return fill_box(to, bits(value), extent, stream, Wait::kNo, site);
  });
}

hipError_t hipMemsetD2D8(hipDeviceptr_t to, std::size_t pitch,
                         unsigned char value, std::size_t width,
                         std::size_t height) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return fill_plane(to, pitch, value, 1, width, height, nullptr, Wait::kYes,
                      site);
  });
}
hipError_t hipMemsetD2D8Async(hipDeviceptr_t to, std::size_t pitch,
                              unsigned char value, std::size_t width,
                              std::size_t height, hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return fill_plane(to, pitch, value, 1, width, height, stream, Wait::kNo,
                      site);
  });
}

hipError_t hipMemsetD2D16(hipDeviceptr_t to, std::size_t pitch,
                          unsigned short value, std::size_t width,
                          std::size_t height) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return fill_plane(to, pitch, value, 2, width, height, nullptr, Wait::kYes,
                      site);
  });
}
hipError_t hipMemsetD2D16Async(hipDeviceptr_t to, std::size_t pitch,
                               unsigned short value, std::size_t width,
                               std::size_t height, hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return fill_plane(to, pitch, value, 2, width, height, stream, Wait::kNo,
                      site);
  });
}

hipError_t hipMemsetD2D32(hipDeviceptr_t to, std::size_t pitch, unsigned value,
                          std::size_t width, std::size_t height) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return fill_plane(to, pitch, value, 4, width, height, nullptr, Wait::kYes,
                      site);
  });
}
hipError_t hipMemsetD2D32Async(hipDeviceptr_t to, std::size_t pitch,
                               unsigned value, std::size_t width,
                               std::size_t height, hipStream_t stream) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return fill_plane(to, pitch, value, 4, width, height, stream, Wait::kNo,
                      site);
  });
}

}  // extern "C"
