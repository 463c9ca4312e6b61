// Runs the kernels of accumulate.cu on the host and compares each bit with
// eclosion::accumulate, for random bits as elements. Prints what differs.
#include <cstdio>
#include <random>
#include <vector>

#include "accumulate.cu"
#include "host_kernels.h"

namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::size_t kCount = 500;

// Every bit pattern, or numbers that stay small when they are summed.
Bytes elements(std::mt19937& chance, std::size_t size, bool any) {
  Bytes bytes(kCount * size);
  for (unsigned char& byte : bytes) {
    byte = static_cast<unsigned char>(chance());
  }
  if (any) return bytes;
  for (std::size_t i = 0; i < kCount; ++i) {
    unsigned char& top = bytes[i * size + size - 1];
    top = static_cast<unsigned char>((top & 0x80U) | 0x3BU | (top & 1U));
  }
  return bytes;
}

int compare(eclosion::Element element, std::size_t number, bool any) {
  const std::size_t size = eclosion::element_size(element);
  std::mt19937 chance(static_cast<unsigned>(number));
  Bytes target = elements(chance, size, any);
  std::vector<Bytes> sources;
  std::vector<const void*> pointers;
  std::vector<std::uintptr_t> addresses;
  std::vector<std::uint64_t> table;
  for (std::size_t i = 0; i < number; ++i) {
    sources.push_back(elements(chance, size, any));
  }
  for (const Bytes& source : sources) {
    pointers.push_back(source.data());
    addresses.push_back(reinterpret_cast<std::uintptr_t>(source.data()));
    table.push_back(addresses.back());
  }
  const double scale = 1.0 / static_cast<double>(number + 1);
  const eclosion::gpu::Stream stream;
  Bytes expected = target;
  eclosion::accumulate(expected.data(), pointers, scale, element, kCount);
  Bytes few = target;
  Bytes many = target;
  const int before = eclosion::gpu::launches;
  const auto at = [](Bytes& bytes) {
    return reinterpret_cast<std::uintptr_t>(bytes.data());
  };
  if (number <= eclosion::gpu::kMaxSources) {
    eclosion::gpu::accumulate(at(few), addresses, scale, element, kCount,
                              stream);
  } else {
    few = expected;
    ++eclosion::gpu::launches;
  }
  eclosion::gpu::accumulate_many(at(many), table.data(), number, scale, element,
                                 kCount, stream);
  const int launched = eclosion::gpu::launches - before;
  if (few == expected && many == expected && launched == 2) return 0;
  std::printf("element %d, %zu sources: few %d, many %d, %d launches\n",
              static_cast<int>(element), number, few == expected,
              many == expected, launched);
  return 1;
}

}  // namespace

int main() {
  int failures = 0;
  int cases = 0;
  for (int element = 0; element < 4; ++element) {
    for (const std::size_t number : {0, 1, 2, 8, 9, 63, 64, 65, 300}) {
      for (const bool any : {false, true}) {
        failures += compare(eclosion::element_of(element), number, any);
        ++cases;
      }
    }
  }
  std::printf("%d cases, %d differ\n", cases, failures);
  return failures == 0 ? 0 : 1;
}
