// SHA-256 (FIPS 180-4) and its keyed form HMAC (RFC 2104).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace eclosion {

using ByteSpan = std::span<const std::byte>;
using Digest = std::array<std::byte, 32>;

// One running hash. What it has read is wiped from memory when it ends, since
// that may be a key.
class Sha256 {
 public:
  static constexpr std::size_t kBlockSize = 64;

  Sha256() noexcept;
  Sha256(const Sha256&) noexcept = default;
  Sha256& operator=(const Sha256&) noexcept = default;
  ~Sha256();

  void update(ByteSpan data) noexcept;
  // The digest of all that was read; the hash then begins anew.
  [[nodiscard]] Digest finish() noexcept;

 private:
  void compress(const std::byte* block) noexcept;

  std::array<std::uint32_t, 8> state_;
  std::array<std::byte, kBlockSize> pending_;
  std::uint64_t size_ = 0;
};

// Authenticates messages by a key, which is not kept as such.
class HmacSha256 {
 public:
  explicit HmacSha256(ByteSpan key) noexcept;

  void update(ByteSpan data) noexcept { inner_.update(data); }
  // The code of all that was read; the next message then begins, with the
  // same key.
  [[nodiscard]] Digest finish() noexcept;

 private:
  Sha256 keyed_inner_;
  Sha256 keyed_outer_;
  Sha256 inner_;
};

// Compare in a time that does not tell where the two differ.
[[nodiscard]] bool same_digest(const Digest& left,
                               const Digest& right) noexcept;

}  // namespace eclosion
