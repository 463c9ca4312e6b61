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

// Devices are numbered below this.
inline constexpr int kMostDevices = 64;

enum class CaptureMode { kGlobal, kThreadLocal, kRelaxed };
enum class CaptureState { kNone, kActive, kInvalidated };

// What is put into a stream: run now, or made a node while it is captured.
struct Work {
  NodeKind kind = NodeKind::kKernel;
  Title title;
  Operation::Body body;
  // How a finding of overlapping work is made; see accesses.h. Ranges that the
  // body reads and writes, of copies and fills; kernels tell theirs themselves.
  using Range = AccessRange;
  std::vector<Range> ranges;
  // What a graph keeps to describe and update the node.
  NodeParameters parameters;
  // kWatch: the body is run again and again until it gives another status than
  // kNotReady, and holds no worker meanwhile.
  Lane lane = Lane::kWorker;
  // The body runs although the device has failed.
  bool even_after_failure = false;
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  static constexpr unsigned kNonBlocking = 1;
  struct State;  // stream_state.h

  Stream(int device, unsigned flags, int priority);
  // What was put still runs.
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  int device() const noexcept;
  unsigned flags() const noexcept;
  int priority() const noexcept;
  std::uint64_t id() const noexcept;
  bool is_legacy() const noexcept;

  // Append work. Waits for nothing.
  Status put(Work work);
  // Wait until all that was put before is done; its first failure.
  Status synchronize();
  Status query() const;  // kNotReady or what synchronize() would give
  Status wait(const EventRef& event);
  // As wait(), but a node that waits at each launch while it is captured.
  Status wait_external(const EventRef& event);
  // Run on a thread of its own once all before it is done, and be given the
  // device's failure if it may run after one.
  Status put_host(Title title, std::function<void(Status)> function,
                  bool even_after_failure, NodeParameters parameters = {});

  // kIllegalState: is captured already.
  Status begin_capture(CaptureMode mode);
  // kIllegalState: is not captured. The stream is not captured afterwards.
  Status end_capture(GraphRef* graph);
  CaptureState capture_state() const;
  std::uint64_t capture_id() const;  // 0: not captured
  // The graph that is being made, and what the next node will come after; null
  // and nothing where none is.
  GraphRef captured_graph() const;
  std::vector<GraphNode*> capture_dependencies() const;
  // Make them these, or these too. kInvalidValue: nodes of another graph.
  Status set_capture_dependencies(const std::vector<GraphNode*>& nodes,
                                  bool is_added);

  // The stream that orders itself with all blocking streams of its device.
  static StreamRef legacy(int device);
  // The default stream of the calling thread.
  static StreamRef per_thread(int device);

  State& state() const noexcept { return *state_; }

 private:
  std::shared_ptr<State> state_;
};

class Event : public std::enable_shared_from_this<Event> {
 public:
  static constexpr unsigned kBlockingSync = 1;
  static constexpr unsigned kDisableTiming = 2;
  static constexpr unsigned kInterprocess = 4;
  struct State;  // stream_state.h

  Event(int device, unsigned flags);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  int device() const noexcept;
  unsigned flags() const noexcept;

  // kInvalidHandle: a stream of another device.
  Status record(Stream& stream);
  // As record(), but a node that records at each launch while `stream` is
  // captured.
  Status record_external(Stream& stream);
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

  State& state() const noexcept { return *state_; }

 private:
  std::shared_ptr<State> state_;
};

// Wait for all streams of a device; the first failure of any.
Status synchronize_device(int device);
// Wait for what was put into the streams of all devices, whether it fails or
// not. Captures go on: they are no work yet.
void drain_devices();

// Whether the calling thread may call what a capture forbids (cudaMalloc under
// the global mode, synchronisation...): kSuccess, or the capture is invalidated
// and kCaptureUnsupported.
Status check_not_capturing();
CaptureMode exchange_capture_mode(CaptureMode mode);

// The failure that has made a device unusable for the rest of the process;
// kSuccess: none.
Status device_failure(int device) noexcept;
void fail_device(int device, Status failure) noexcept;
// As after a reset: streams are empty and the failure is gone.
Status reset_device(int device);

}  // namespace eclosion::emulator
