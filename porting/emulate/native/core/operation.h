// One piece of asynchronous work of a device, and when it is done.
//
// Operations are nodes of a graph: one runs when all that it depends on is
// done. Streams, events and graphs only decide what depends on what; see
// stream.h.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "status.h"

namespace eclosion::emulator {

class Operation;
using OperationRef = std::shared_ptr<Operation>;

// What a finding calls an operation: "kernel scan_kernel", "copy to the host".
struct Title {
  std::string what;
  const void* site = nullptr;  // return address of the call that asked for it
};

class Operation : public std::enable_shared_from_this<Operation> {
 public:
  using Body = std::function<Status(Operation&)>;
  using Clock = std::chrono::steady_clock;

  Operation(int device, Title title, Body body);

  int device() const noexcept { return device_; }
  const Title& title() const noexcept { return title_; }
  bool is_done() const noexcept {
    return done_.load(std::memory_order_acquire);
  }
  // What the body returned; kSuccess until it is done.
  Status status() const noexcept { return status_; }
  // When it was finished; only of one that is done.
  Clock::time_point finished() const noexcept { return finished_; }

  // Identity of the operation in findings and in the shadow of memory; from 1.
  std::uint32_t number() const noexcept { return number_; }

 private:
  friend class Scheduler;

  int device_;
  Title title_;
  Body body_;
  std::uint32_t number_;
  std::atomic<bool> done_{false};
  Status status_ = Status::kSuccess;
  Clock::time_point finished_{};
  // Guarded by the scheduler's lock.
  int waiting_for_ = 0;
  std::vector<OperationRef> followers_;
};

}  // namespace eclosion::emulator
