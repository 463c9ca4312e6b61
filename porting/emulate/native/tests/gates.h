// Work that lasts until a test lets it end, and a record of what ran when.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "stream.h"

namespace eclosion::emulator::tests {

// Operations that wait for the test. Closed when it is made.
class Gate {
 public:
  void open() {
    const std::scoped_lock guard(state_->lock);
    state_->is_open = true;
    state_->changed.notify_all();
  }
  // Returns once an operation is at the gate.
  void await_arrival() const {
    std::unique_lock guard(state_->lock);
    state_->changed.wait(guard, [&] { return state_->arrived != 0; });
  }
  bool has_arrived() const {
    const std::scoped_lock guard(state_->lock);
    return state_->arrived != 0;
  }
  Operation::Body body(Status status = Status::kSuccess) const {
    return [state = state_, status](Operation&) {
      std::unique_lock guard(state->lock);
      ++state->arrived;
      state->changed.notify_all();
      state->changed.wait(guard, [&] { return state->is_open; });
      return status;
    };
  }
  Work work() const { return {NodeKind::kKernel, {"gate"}, body(), {}, {}}; }

 private:
  struct State {
    std::mutex lock;
    std::condition_variable changed;
    bool is_open = false;
    int arrived = 0;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

// The order in which named work ran.
class Journal {
 public:
  Work work(const std::string& name) const {
    return {NodeKind::kKernel, {name}, body(name), {}, {}};
  }
  Operation::Body body(const std::string& name,
                       Status status = Status::kSuccess) const {
    return [state = state_, name, status](Operation&) {
      const std::scoped_lock guard(state->lock);
      state->text += name;
      return status;
    };
  }
  std::string text() const {
    const std::scoped_lock guard(state_->lock);
    return state_->text;
  }

 private:
  struct State {
    std::mutex lock;
    std::string text;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace eclosion::emulator::tests
