// Handles of objects that a program gets and gives back: numbers, none of which
// is used twice, so a stale or invented one is noticed.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace eclosion::emulator {

// `Handle`: the vendor's pointer type, which nobody looks behind.
template <typename Handle, typename Object>
class Handles {
 public:
  Handle add(std::shared_ptr<Object> object) {
    const std::lock_guard held(lock_);
    next_ += kStep;
    objects_.emplace(next_, std::move(object));
    return reinterpret_cast<Handle>(next_);
  }

  // Null: no such handle.
  std::shared_ptr<Object> find(Handle handle) const {
    const std::lock_guard held(lock_);
    const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    return found == objects_.end() ? nullptr : found->second;
  }

  // The handle of an object, whichever it has; null: none.
  Handle handle_of(const Object* object) const {
    const std::lock_guard held(lock_);
    for (const auto& [handle, own] : objects_) {
      if (own.get() == object) return reinterpret_cast<Handle>(handle);
    }
    return nullptr;
  }

  // Whether any object is what `is_it` says.
  template <typename Test>
  bool any(Test is_it) const {
    const std::lock_guard held(lock_);
    for (const auto& [handle, own] : objects_) {
      if (is_it(*own)) return true;
    }
    return false;
  }

  // Forget a handle and give its object; null: no such handle.
  std::shared_ptr<Object> take(Handle handle) {
    const std::lock_guard held(lock_);
    const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    if (found == objects_.end()) return nullptr;
    std::shared_ptr<Object> object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

 private:
  // Away from small numbers, which the vendors give a meaning, and aligned as
  // an address of an object would be.
  static constexpr std::uintptr_t kStep = 16;
  mutable std::mutex lock_;
  std::uintptr_t next_ = 0x10000;
  std::unordered_map<std::uintptr_t, std::shared_ptr<Object>> objects_;
};

}  // namespace eclosion::emulator
