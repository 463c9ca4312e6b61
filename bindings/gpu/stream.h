// Streams and events: what runs in which order, and how long it took.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>

namespace eclosion::gpu {

struct StreamDeleter {
  void operator()(cudaStream_t stream) const noexcept;
};
struct EventDeleter {
  void operator()(cudaEvent_t event) const noexcept;
};

class Event;

// A queue of work on one device. Work in it runs in order.
class Stream {
 public:
  // A stream that does not wait for the default one. `priority`: 0, or lower
  // numbers for what is to go first.
  explicit Stream(int device, int priority = 0);

  [[nodiscard]] cudaStream_t get() const noexcept { return stream_.get(); }
  [[nodiscard]] int device() const noexcept { return device_; }

  // Wait, on this thread, until all of its work is done.
  void synchronize() const;
  // Whether all of its work is done.
  [[nodiscard]] bool is_done() const;
  // Whether what is put in is recorded (graph.h) and does not run.
  [[nodiscard]] bool is_recording() const;
  // What comes next waits, on the device, until the event has happened.
  void wait(const Event& event) const;

 private:
  int device_;
  std::unique_ptr<std::remove_pointer_t<cudaStream_t>, StreamDeleter> stream_;
};

// A point in a stream's work.
class Event {
 public:
  // `has_time`: elapsed_ms works; it costs a little.
  explicit Event(int device, bool has_time = false);

  [[nodiscard]] cudaEvent_t get() const noexcept { return event_.get(); }

  void record(const Stream& stream) const;
  void synchronize() const;
  [[nodiscard]] bool is_done() const;
  // Milliseconds from `start` to this event; both were recorded with a time.
  [[nodiscard]] float elapsed_ms(const Event& start) const;

 private:
  int device_;
  std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, EventDeleter> event_;
};

}  // namespace eclosion::gpu
