// One piece of asynchronous work of a device, and when it is done.
//
// Operations are nodes of a graph: one runs when all that it depends on is
// done. Streams, events and graphs only decide what depends on what; see
// stream.h.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ordering.h"
#include "status.h"

namespace eclosion::emulator {

class Operation;
using OperationRef = std::shared_ptr<Operation>;

// What a finding calls an operation: "kernel scan_kernel", "copy to the host".
struct Title {
  std::string what;
  const void* site = nullptr;  // return address of the call that asked for it
};

// Memory that an operation reads or writes, told before it runs (accesses.h).
struct AccessRange {
  const void* base = nullptr;
  std::size_t size = 0;
  bool is_written = false;
};

// Which threads run an operation.
enum class Lane {
  kWorker,  // those for kernels and copies
  kHost,    // the one for functions of the program, which may block
  kWatch,   // the one that runs a body again until it is not kNotReady
};

class Operation : public std::enable_shared_from_this<Operation> {
 public:
  // Null: there is nothing to run, and it is done as soon as it may run.
  using Body = std::function<Status(Operation&)>;
  using Clock = std::chrono::steady_clock;

  struct Traits {
    Lane lane = Lane::kWorker;
    int priority = 0;  // a lower number runs first
    // Run although the device has failed.
    bool even_after_failure = false;
  };

  Operation(int device, Title title, Body body) noexcept;
  Operation(int device, Title title, Body body, Traits traits,
            std::vector<AccessRange> ranges, Ordering order) noexcept;

  int device() const noexcept { return device_; }
  const Title& title() const noexcept { return title_; }
  bool is_done() const noexcept {
    return done_.load(std::memory_order_acquire);
  }
  // What the body returned; kSuccess until it is done.
  Status status() const noexcept {
    return is_done() ? status_ : Status::kSuccess;
  }
  // When it was finished; only of one that is done.
  Clock::time_point finished() const noexcept { return finished_; }

  // Identity of the operation in findings and in the shadow of memory; from 1,
  // below 2^27.
  std::uint32_t number() const noexcept { return number_; }
  // What happens before it.
  const Ordering& order() const noexcept { return order_; }
  const std::vector<AccessRange>& ranges() const noexcept { return ranges_; }

 private:
  friend class Scheduler;

  int device_;
  Title title_;
  Body body_;
  Traits traits_;
  std::vector<AccessRange> ranges_;
  Ordering order_;
  std::uint32_t number_;
  std::atomic<bool> done_{false};
  Status status_ = Status::kSuccess;
  Clock::time_point finished_{};
  // Guarded by the scheduler's lock.
  Clock::time_point not_before_{};
  std::size_t waiting_for_ = 0;
  bool is_hurried_ = false;  // somebody waits for it, or for what follows it
  bool is_waited_for_ = false;
  std::vector<OperationRef> after_;  // what it waits for, while it does
  std::vector<OperationRef> followers_;
};

}  // namespace eclosion::emulator
