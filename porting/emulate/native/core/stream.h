// Streams, events and captures: what has to be done before what.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "graph.h"
#include "operation.h"
#include "status.h"

namespace eclosion::emulator {

class Event;
class Stream;
using StreamRef = std::shared_ptr<Stream>;
using EventRef = std::shared_ptr<Event>;

enum class CaptureMode { kGlobal, kThreadLocal, kRelaxed };
enum class CaptureState { kNone, kActive, kInvalidated };

// What is put into a stream: run now, or made a node while it is captured.
struct Work {
  NodeKind kind = NodeKind::kKernel;
  Title title;
  Operation::Body body;
  // How a finding of overlapping work is made; see accesses.h. Ranges that the
  // body reads and writes, of copies and fills; kernels tell theirs themselves.
  struct Range {
    const void* base = nullptr;
    std::size_t size = 0;
    bool is_written = false;
  };
  std::vector<Range> ranges;
  // What a graph keeps to describe and update the node.
  NodeParameters parameters;
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  static constexpr unsigned kNonBlocking = 1;

  Stream(int device, unsigned flags, int priority);

  int device() const noexcept;
  unsigned flags() const noexcept;
  int priority() const noexcept;
  std::uint64_t id() const noexcept;

  // Append work. Waits for nothing.
  Status put(Work work);
  // Wait until all that was put before is done; its first failure.
  Status synchronize();
  Status query() const;  // kNotReady or what synchronize() would give
  Status wait(const EventRef& event);
  // Run on a thread of its own once all before it is done.
  Status put_host(Title title, std::function<void(Status)> function,
                  bool even_after_failure);

  Status begin_capture(CaptureMode mode);
  Status end_capture(GraphRef* graph);
  CaptureState capture_state() const;
  std::uint64_t capture_id() const;

  // The stream that orders itself with all blocking streams of its device.
  static StreamRef legacy(int device);
  // The default stream of the calling thread.
  static StreamRef per_thread(int device);

 private:
  friend class Event;
  struct State;
  std::shared_ptr<State> state_;
};

class Event {
 public:
  static constexpr unsigned kBlockingSync = 1;
  static constexpr unsigned kDisableTiming = 2;
  static constexpr unsigned kInterprocess = 4;

  Event(int device, unsigned flags);
  int device() const noexcept;
  unsigned flags() const noexcept;

  Status record(Stream& stream);
  Status synchronize();
  Status query() const;
  // Milliseconds from `begin` to this event, at 0.5 us resolution.
  // kInvalidHandle: not recorded or without timing; kNotReady.
  Status elapsed_since(const Event& begin, float* milliseconds) const;

  // Of interprocess events: 64 bytes another process opens. Recording and
  // waiting then go through shared memory.
  Status export_handle(unsigned char (&handle)[64]);
  static Status import_handle(const unsigned char (&handle)[64], int device,
                              EventRef* event);

 private:
  friend class Stream;
  struct State;
  std::shared_ptr<State> state_;
};

// Wait for all streams of a device; the first failure of any.
Status synchronize_device(int device);

// Whether the calling thread may call what a capture forbids (cudaMalloc under
// the global mode, synchronisation...): kSuccess, or the capture is invalidated
// and kCaptureUnsupported.
Status check_not_capturing();
CaptureMode exchange_capture_mode(CaptureMode mode);

// The failure that has made a device unusable for the rest of the process;
// kSuccess: none.
Status device_failure(int device);
void fail_device(int device, Status failure);
// As after a reset: streams are empty and the failure is gone.
Status reset_device(int device);

}  // namespace eclosion::emulator
