// Files in memory that allocations lie in, so that they can be mapped twice and
// by other processes.
//
// A file is called eclosion-USE-NONCE-ID-DEVICE: by that a process that opens
// another one's file knows that it is what it was told of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace eclosion::emulator {

enum class FileUse : char {
  kArena = 'a',
  kAllocation = 'm',
  kPhysical = 'p',  // of virtual memory management
  kPool = 'q',
};

// What a file's name says.
struct FileTitle {
  FileUse use = FileUse::kAllocation;
  std::uint64_t nonce = 0;  // of the process that made it
  std::uint64_t id = 0;     // never used twice there
  int device = -1;
  bool operator==(const FileTitle&) const = default;
};

// A new file, as long as asked for; -1: none could be made (errno).
int create_memory_file(const FileTitle& title, std::size_t size);

// What an open file is called; empty: it is no such file.
std::optional<FileTitle> title_of(int file);

// 0: it cannot be told.
std::size_t size_of_file(int file);

// Give the contents of a new file, which no program may rely on: each byte is
// kFreshByte. False: there is no memory for it.
inline constexpr int kFreshByte = 0xCB;
// What is larger stays as it is: filling it would take longer than it tells.
inline constexpr std::size_t kMostFilled = std::size_t{64} << 20;
// And what is filled takes memory of this machine, which may have less of it
// than the emulated devices.
inline constexpr std::size_t kMostFilledInAll = std::size_t{1} << 30;
bool fill_fresh(int file, std::size_t size);

}  // namespace eclosion::emulator
