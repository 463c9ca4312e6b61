// A C++ object whose destructor may wait for a device: it runs without the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

namespace eclosion::gpu {

template <typename T>
class Held {
 public:
  explicit Held(T value) : value_(std::make_unique<T>(std::move(value))) {}
  explicit Held(std::unique_ptr<T> value) : value_(std::move(value)) {}
  Held(Held&&) noexcept = default;
  Held& operator=(Held&&) = delete;
  ~Held() {
    if (value_ == nullptr) return;
    nanobind::gil_scoped_release unlocked;
    value_.reset();
  }

  T& operator*() const { return *value_; }
  T* operator->() const { return value_.get(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace eclosion::gpu
