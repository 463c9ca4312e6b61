// The table that a sidecar library exports: its kernels and variables.
//
// porting/emulate writes it as LLVM IR when it compiles a unit; see
// porting/emulate/kernel_entries.py.
#pragma once

#include <cstdint>

namespace eclosion::emulator {

inline constexpr std::uint32_t kSidecarAbi = 1;
inline constexpr const char* kSidecarSymbol = "eclosion_sidecar";

struct KernelRecord {
  const char* name;  // mangled, as clang mangles it
  void (*entry)(void** parameters);
  const std::uint64_t* sizes;       // bytes of each parameter
  const std::uint64_t* alignments;  // of each in a packed buffer
  std::uint64_t parameters;
  std::uint64_t static_shared;  // bytes that every block has
  std::uint64_t most_threads;   // of a block, as declared; 0: not declared
  const char* file;
  std::uint64_t line;
};

struct VariableRecord {
  const char* name;
  void* address;
  std::uint64_t size;
  std::uint64_t is_constant;
};

struct UnitRecord {
  const char* source;
  const KernelRecord* kernels;
  std::uint64_t kernel_count;
  const VariableRecord* variables;
  std::uint64_t variable_count;
};

struct SidecarRecord {
  std::uint64_t abi;
  std::uint64_t wave_size;
  const UnitRecord* const* units;
  std::uint64_t unit_count;
};

}  // namespace eclosion::emulator
