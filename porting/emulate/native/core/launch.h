// Launches of kernels: what is asked for, and running the blocks of a grid.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "operation.h"
#include "sidecar_abi.h"
#include "status.h"

namespace eclosion::emulator {

struct Extent {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
  std::uint64_t count() const noexcept { return std::uint64_t{x} * y * z; }
};

// The limits of a device that a launch has to keep.
struct LaunchLimits {
  unsigned threads_per_block = 1024;
  Extent block{1024, 1024, 64};
  Extent grid{2147483647U, 65535, 65535};
  std::size_t shared_bytes = std::size_t{48} << 10;  // without opting in
  std::size_t shared_bytes_opt_in = std::size_t{227} << 10;
};

// A kernel of one device: entry points differ from device to device, since each
// has variables of its own.
struct Kernel {
  const KernelRecord* record;
  unsigned wave_size;
  std::string name;  // demangled, for findings
  // Set by the program for this function.
  std::size_t dynamic_shared_limit = 0;
};

struct LaunchRequest {
  const Kernel* kernel = nullptr;
  int device = 0;
  Extent grid;
  Extent block;
  std::size_t dynamic_shared = 0;
  bool cooperative = false;
  const void* site = nullptr;
  // What a number of the vendor's means; for faults that a test asks for.
  std::optional<Status> (*status_of)(int number) = nullptr;
};

// A copy of a launch's parameters that outlives the caller's.
class Parameters {
 public:
  // `values`: a pointer to each parameter.
  static Parameters copy(const KernelRecord& kernel, void* const* values);
  // `packed`: all parameters in one buffer, each at its alignment.
  static Parameters unpack(const KernelRecord& kernel, const void* packed,
                           std::size_t size);
  void** pointers() noexcept { return pointers_.data(); }
  bool has(std::uintptr_t address) const noexcept {
    return address - reinterpret_cast<std::uintptr_t>(bytes_.data()) <
           bytes_.size();
  }

 private:
  std::vector<unsigned char> bytes_;
  std::vector<void*> pointers_;
};

// The parameters of a launch as programs give them: a pointer to each, or all
// in one buffer.
struct Arguments {
  void* const* values = nullptr;
  const void* packed = nullptr;
  std::size_t packed_size = 0;
};

// The vendor's marks in an `extra`, a list that says where the buffer is.
struct ExtraMarks {
  const void* pointer;
  const void* size;
  const void* end;
};

// kInvalidValue: it is not whole.
Status read_extra(void* const* extra, const ExtraMarks& marks,
                  Arguments* arguments);

// kInvalidValue: the kernel has parameters, and none are given.
Status copy_parameters(const Kernel& kernel, const Arguments& arguments,
                       std::shared_ptr<Parameters>* copy);

// Whether a device takes a launch, before it is put into a stream.
Status check_launch(const LaunchRequest& request, const LaunchLimits& limits);

// Run a grid on the calling worker and others; returns when it has ended.
// What the kernel did wrong is told to findings.h, and is the status when it
// stopped the kernel.
Status run_grid(const LaunchRequest& request, Parameters& parameters,
                const Operation& operation);

}  // namespace eclosion::emulator
