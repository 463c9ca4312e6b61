// One launch while it runs: what its workers share.
#pragma once

#include <atomic>
#include <cstdint>

#include "launch.h"

namespace eclosion::emulator {

class GridRun {
 public:
  GridRun(const LaunchRequest& request, Parameters& parameters,
          const Operation& operation);

  const LaunchRequest& request() const noexcept { return request_; }
  const Operation& operation() const noexcept { return operation_; }
  void call_entry() const;
  // Whether an address is in the launch's parameters.
  bool has_parameter(std::uintptr_t address) const noexcept;

  // The first failure stops the grid: no further thread is begun or resumed.
  void stop(Status failure) noexcept;
  bool is_stopped() const noexcept {
    return failure_.load(std::memory_order_relaxed) != Status::kSuccess;
  }
  Status failure() const noexcept { return failure_.load(); }

  // The numbers of the next blocks to run; false: none is left.
  bool take(std::uint64_t most, std::uint64_t* first, std::uint64_t* end);
  Extent block_index(std::uint64_t number) const noexcept;

 private:
  const LaunchRequest& request_;
  Parameters& parameters_;
  const Operation& operation_;
  std::uint64_t blocks_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<Status> failure_{Status::kSuccess};
};

}  // namespace eclosion::emulator
