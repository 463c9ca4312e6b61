// The number of a release.
#include "release.h"

#include <cuda.h>

#include <charconv>

#include "config.h"

namespace eclosion::cuda {

int release_number(std::string_view release) {
  int major = 0;
  int minor = 0;
  const char* const end = release.data() + release.size();
  const auto first = std::from_chars(release.data(), end, major);
  if (first.ec != std::errc() || major == 0) return CUDA_VERSION;
  if (first.ptr != end && *first.ptr == '.') {
    std::from_chars(first.ptr + 1, end, minor);
  }
  return major * 1000 + minor * 10;
}

int release_number() {
  static const int number = release_number(emulator::Config::get().release);
  return number;
}

}  // namespace eclosion::cuda
