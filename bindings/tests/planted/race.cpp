// A planted fault: two threads update one hash of the core.
#include <array>
#include <thread>

#include "sha256.h"

int main() {
  eclosion::Sha256 hash;
  const std::array<std::byte, 8> data{};
  std::thread other([&] { hash.update(data); });
  hash.update(data);
  other.join();
}
