// Who touched each byte of a block's shared memory since the last barrier, and
// whether two threads did so in no order. Pure.
//
// Per byte the shadow has the last write and the last read. Two accesses of
// different threads, one of them a write, race unless a barrier of the block
// lies between them, or one of their wave if they are of one wave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace eclosion::emulator {

// The moment and the author of an access.
struct Author {
  std::uint16_t thread;  // < 1024
  std::uint16_t wave_size;
  std::uint16_t block_epoch;  // barriers of the block so far
  std::uint8_t wave_epoch;    // the author's wave barriers so far
};

struct SharedConflict {
  std::uint16_t thread;  // of the earlier access; kMany when several read
  bool was_write;
  static constexpr std::uint16_t kMany = 0xFFFF;
};

class SharedShadow {
 public:
  // Epochs of a block that fit; at the end the shadow is cleared.
  static constexpr std::uint16_t kEpochs = 4000;

  explicit SharedShadow(std::size_t bytes);
  ~SharedShadow();
  SharedShadow(const SharedShadow&) = delete;
  SharedShadow& operator=(const SharedShadow&) = delete;

  // Record an access, and give the first conflict that it makes. Bytes must be
  // within the shadow. Atomic accesses do not conflict with atomic ones.
  std::optional<SharedConflict> note(std::size_t offset, unsigned size,
                                     const Author& author, bool is_write,
                                     bool is_atomic);
  void clear(std::size_t bytes);

 private:
  struct Entry {
    std::uint32_t write;
    std::uint32_t read;
  };
  std::optional<SharedConflict> note_byte(Entry& entry, const Author& author,
                                          bool is_write, bool is_atomic);

  Entry* entries_;
  std::size_t bytes_;
};

}  // namespace eclosion::emulator
