// A planted fault: the core is given a digest that is one byte too short, and
// reads past its end.
#include <memory>

#include "sha256.h"

int main() {
  const eclosion::Digest whole{};
  const auto memory = std::make_unique<std::byte[]>(whole.size() - 1);
  const auto& cut = *reinterpret_cast<const eclosion::Digest*>(memory.get());
  return eclosion::same_digest(whole, cut) ? 0 : 0;
}
