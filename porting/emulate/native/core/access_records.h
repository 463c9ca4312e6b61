// The operations that cells of the shadow name, for as long as one may ask.
#pragma once

#include <cstdint>
#include <optional>

#include "operation.h"

namespace eclosion::emulator {

class AccessRecords {
 public:
  // Later operations take the places of earlier ones; those count as ordered.
  static constexpr std::uint32_t kKept = 1U << 20;

  struct Record {
    std::uint32_t number = 0;
    Ordering point;  // without what is before it
    Title title;
  };

  static AccessRecords& get();

  void add(const Operation& operation);
  std::optional<Record> find(std::uint32_t number) const;
  // Whether an operation happens before another; so do those forgotten.
  bool is_before(std::uint32_t number, const Operation& operation) const;
  // Whether this pair is met for the first time.
  bool is_new_pair(std::uint32_t one, std::uint32_t other);

 private:
  AccessRecords();
  struct State;
  State* state_;
};

}  // namespace eclosion::emulator
