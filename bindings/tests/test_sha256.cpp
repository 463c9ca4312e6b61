// core/sha256 against the vectors of FIPS 180-4 and RFC 4231.
#include "sha256.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using eclosion::ByteSpan;
using eclosion::Digest;
using eclosion::HmacSha256;
using eclosion::same_digest;
using eclosion::Sha256;

namespace {

ByteSpan bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string hex(const Digest& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte each : digest) {
    text += kDigits[std::to_integer<unsigned>(each >> 4)];
    text += kDigits[std::to_integer<unsigned>(each & std::byte{15})];
  }
  return text;
}

std::string sha256(std::string_view message) {
  Sha256 hash;
  hash.update(bytes_of(message));
  return hex(hash.finish());
}

std::string hmac(std::string_view key, std::string_view message) {
  HmacSha256 code(bytes_of(key));
  code.update(bytes_of(message));
  return hex(code.finish());
}

}  // namespace

TEST_CASE("sha256 gives the digests of the standard") {
  CHECK(sha256("") ==
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// The expected digest of digests was computed with another implementation:
// each message of 0 to 199 bytes ends its last block elsewhere.
TEST_CASE("sha256 pads messages of every length around its blocks") {
  Sha256 all, one;
  for (int length = 0; length < 200; ++length) {
    std::vector<std::byte> message;
    for (int i = 0; i < length; ++i) {
      message.push_back(static_cast<std::byte>((i * 7 + length) & 255));
    }
    one.update(message);
    all.update(one.finish());
  }
  CHECK(hex(all.finish()) ==
        "8c7c9ff69da76fc28823a1cb97268672663e628e1ea955868b16db46bab0545d");
}

TEST_CASE("sha256 does not depend on how the message is cut") {
  const std::string message(300, 'x');
  for (const std::size_t cut : {0, 1, 55, 56, 63, 64, 65, 128, 299, 300}) {
    Sha256 hash;
    hash.update(bytes_of(message).first(cut));
    hash.update(bytes_of(message).subspan(cut));
    CHECK(hex(hash.finish()) == sha256(message));
  }
}

TEST_CASE("hmac gives the codes of RFC 4231") {
  CHECK(hmac(std::string(20, '\x0b'), "Hi There") ==
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(hmac("Jefe", "what do ya want for nothing?") ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(hmac(std::string(20, '\xaa'), std::string(50, '\xdd')) ==
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  CHECK(hmac(std::string(131, '\xaa'),
             "Test Using Larger Than Block-Size Key - Hash Key First") ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("hmac begins the next message with the same key") {
  HmacSha256 code(bytes_of("Jefe"));
  code.update(bytes_of("another message"));
  (void)code.finish();
  code.update(bytes_of("what do ya want for nothing?"));
  CHECK(hex(code.finish()) == hmac("Jefe", "what do ya want for nothing?"));
}

TEST_CASE("digests are the same only when every bit is") {
  Sha256 hash;
  hash.update(bytes_of("abc"));
  const Digest digest = hash.finish();
  CHECK(same_digest(digest, digest));
  for (std::size_t bit = 0; bit < digest.size() * 8; ++bit) {
    Digest other = digest;
    other[bit / 8] ^= std::byte{1} << (bit % 8);
    CHECK_FALSE(same_digest(digest, other));
  }
}
