// Stacks that GPU threads run on, and the switch between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

extern "C" void eclosion_switch_stack(void** save, void* load);

namespace eclosion::emulator {

// The stacks of one worker: a range of addresses of which only what is used
// costs memory. Below each stack is a guard that cannot be touched.
class Stacks {
 public:
  static constexpr std::size_t kUsable = std::size_t{1} << 20;
  // Device code touches each page of a frame in turn (frontend.py); functions
  // of the emulator have smaller frames than this.
  static constexpr std::size_t kGuard = std::size_t{64} << 10;
  static constexpr std::size_t kSize = kUsable + kGuard;

  explicit Stacks(unsigned most);
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  // Put the guard below a stack, and those below it, in place. False: the
  // system has no mapping left for one.
  bool guard(unsigned number);
  // A stack on which `main` begins when it is switched to; `main` never
  // returns.
  void* prepare(unsigned number, void (*main)());

  std::uintptr_t base() const noexcept {
    return reinterpret_cast<std::uintptr_t>(base_);
  }
  std::size_t size() const noexcept { return std::size_t{most_} * kSize; }
  // A stack's lowest address, below which its guard is, and its end.
  std::uintptr_t lowest(int number) const noexcept {
    return base() + static_cast<unsigned>(number) * kSize + kGuard;
  }
  std::uintptr_t top(int number) const noexcept {
    return lowest(number) + kUsable;
  }
  // Where its first frame begins: above is nothing.
  std::uintptr_t first_frame(int number) const noexcept;

 private:
  std::byte* base_;
  unsigned most_;
  unsigned guarded_ = 0;  // stacks whose guard is in place, from the first on
};

// Which stacks no thread of a block runs on, the first of them at first.
class FreeStacks {
 public:
  void begin(unsigned count);
  unsigned take();
  void give_back(unsigned number) { free_.push_back(number); }

 private:
  unsigned count_ = 0;
  std::vector<unsigned> free_;
};

}  // namespace eclosion::emulator
