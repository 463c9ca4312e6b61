// Fills of memory by the driver's functions: elements of 1, 2 or 4 bytes, in a
// line or in rows.
#include "copying.h"
#include "front.h"

namespace eclosion::cuda {
namespace {

// cuMemsetD16 and cuMemsetD32 (cuda.h): addresses, and pitches, are multiples
// of the element's size.
DriverResult fill_rows(CUstream stream, CUdeviceptr to, std::size_t pitch,
                       std::uint32_t value, unsigned element, std::size_t width,
                       std::size_t height, bool is_async, const void* site) {
  if (to % element != 0 || pitch % element != 0) return Status::kInvalidValue;
  return fill(stream, {{reinterpret_cast<void*>(to), pitch},
                       {width * element, height},
                       value,
                       element,
                       is_async,
                       site});
}

}  // namespace
}  // namespace eclosion::cuda

using namespace eclosion::cuda;

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return fill_rows(nullptr, to, 0, value, 1, count, 1, false, site);
  });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                         CUstream stream) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return fill_rows(stream, to, 0, value, 1, count, 1, true, site);
  });
}

CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value,
                      size_t width, size_t height) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return fill_rows(nullptr, to, pitch, value, 1, width, height, false, site);
  });
}

CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value,
                           size_t width, size_t height, CUstream stream) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return fill_rows(stream, to, pitch, value, 1, width, height, true, site);
  });
}

CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return fill_rows(nullptr, to, 0, value, 2, count, 1, false, site);
  });
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count,
                          CUstream stream) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return fill_rows(stream, to, 0, value, 2, count, 1, true, site);
  });
}

CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value,
                       size_t width, size_t height) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return fill_rows(nullptr, to, pitch, value, 2, width, height, false, site);
  });
}

CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value,
                            size_t width, size_t height, CUstream stream) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return fill_rows(stream, to, pitch, value, 2, width, height, true, site);
  });
}

CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return fill_rows(nullptr, to, 0, value, 4, count, 1, false, site);
  });
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count,
                          CUstream stream) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return fill_rows(stream, to, 0, value, 4, count, 1, true, site);
  });
}

CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned value,
                       size_t width, size_t height) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return fill_rows(nullptr, to, pitch, value, 4, width, height, false, site);
  });
}

CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value,
                            size_t width, size_t height, CUstream stream) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return fill_rows(stream, to, pitch, value, 4, width, height, true, site);
  });
}
