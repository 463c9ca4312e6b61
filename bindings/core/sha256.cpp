// The compression function, the padding and the two passes of HMAC.
#include "sha256.h"

#include <string.h>  // explicit_bzero

#include <algorithm>
#include <bit>

namespace eclosion {
namespace {

// The first 32 bits of the fractions of the square roots of the first 8
// primes, and of the cube roots of the first 64.
constexpr std::array<std::uint32_t, 8> kInitial = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::byte kInnerPad{0x36};
constexpr std::byte kOuterPad{0x5c};

std::uint32_t load_big_endian(const std::byte* from) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    value = (value << 8) | std::to_integer<std::uint32_t>(from[i]);
  }
  return value;
}

template <typename Word>
void store_big_endian(std::byte* to, Word value) {
  for (std::size_t i = sizeof(Word); i-- > 0;) {
    to[i] = static_cast<std::byte>(value & 0xff);
    value >>= 8;
  }
}

std::array<std::uint32_t, 64> schedule(const std::byte* block) {
  std::array<std::uint32_t, 64> words;
  for (std::size_t i = 0; i < 16; ++i) {
    words[i] = load_big_endian(block + 4 * i);
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = words[i - 15], b = words[i - 2];
    words[i] = words[i - 16] + words[i - 7] +
               (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  return words;
}

Sha256 start_with(const std::array<std::byte, Sha256::kBlockSize>& key,
                  std::byte pad) {
  std::array<std::byte, Sha256::kBlockSize> block = key;
  for (std::byte& each : block) each ^= pad;
  Sha256 hash;
  hash.update(block);
  explicit_bzero(block.data(), block.size());
  return hash;
}

}  // namespace

Sha256::Sha256() noexcept : state_(kInitial), pending_{} {}

Sha256::~Sha256() {
  explicit_bzero(state_.data(), sizeof(state_));
  explicit_bzero(pending_.data(), pending_.size());
}

void Sha256::update(ByteSpan data) noexcept {
  while (!data.empty()) {
    const std::size_t filled = size_ % kBlockSize;
    const std::size_t taken = std::min(kBlockSize - filled, data.size());
    std::copy_n(data.begin(), taken, pending_.begin() + filled);
    size_ += taken;
    data = data.subspan(taken);
    if (filled + taken == kBlockSize) compress(pending_.data());
  }
}

Digest Sha256::finish() noexcept {
  std::array<std::byte, 8> bits;
  store_big_endian(bits.data(), size_ * 8);
  // A one bit, then zeros until the length of the message ends a block.
  std::array<std::byte, kBlockSize> padding{std::byte{0x80}};
  const std::size_t filled = size_ % kBlockSize;
  const std::size_t end = kBlockSize - bits.size();
  update(ByteSpan(padding).first((filled < end ? end : end + kBlockSize) -
                                 filled));
  update(bits);

  Digest digest;
  for (std::size_t i = 0; i < state_.size(); ++i) {
    store_big_endian(digest.data() + 4 * i, state_[i]);
  }
  *this = Sha256();
  return digest;
}

void Sha256::compress(const std::byte* block) noexcept {
  std::array<std::uint32_t, 64> words = schedule(block);
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t choice = (e & f) ^ (~e & g);
    const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    const std::uint32_t first =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + choice +
        kRound[i] + words[i];
    const std::uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + majority;
    h = g, g = f, f = e, e = d + first;
    d = c, c = b, b = a, a = first + second;
  }
  const std::array<std::uint32_t, 8> mixed = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state_[i] += mixed[i];
  explicit_bzero(words.data(), sizeof(words));
}

HmacSha256::HmacSha256(ByteSpan key) noexcept {
  std::array<std::byte, Sha256::kBlockSize> block{};
  if (key.size() > block.size()) {
    Sha256 hash;
    hash.update(key);
    Digest digest = hash.finish();
    std::copy(digest.begin(), digest.end(), block.begin());
    explicit_bzero(digest.data(), digest.size());
  } else {
    std::copy(key.begin(), key.end(), block.begin());
  }
  keyed_inner_ = start_with(block, kInnerPad);
  keyed_outer_ = start_with(block, kOuterPad);
  inner_ = keyed_inner_;
  explicit_bzero(block.data(), block.size());
}

Digest HmacSha256::finish() noexcept {
  const Digest inner = inner_.finish();
  Sha256 outer = keyed_outer_;
  outer.update(inner);
  inner_ = keyed_inner_;
  return outer.finish();
}

bool same_digest(const Digest& left, const Digest& right) noexcept {
  // Volatile, so that no compiler leaves the loop at the first difference.
  volatile std::uint8_t difference = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    difference = static_cast<std::uint8_t>(
        difference | std::to_integer<std::uint8_t>(left[i] ^ right[i]));
  }
  return difference == 0;
}

}  // namespace eclosion
