// What streams, events, captures and graphs know of each other, under one lock.
//
// One lock for all devices, not one for each: events and captures cross
// devices, and what is done under it is a microsecond of book-keeping. The
// scheduler's lock is taken inside it, never the other way round.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "stream.h"

namespace eclosion::emulator {

struct Capture;
using CaptureRef = std::shared_ptr<Capture>;
class SharedEvent;

struct Stream::State {
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
  std::uint64_t id = 0;
  std::uint32_t timeline = 0;
  bool is_legacy = false;
  bool is_abandoned = false;    // destroyed, though work may be left
  OperationRef tail = nullptr;  // the last that was put
  CaptureRef capture = nullptr;
  std::vector<GraphNode*> frontier =
      {};  // what the next captured node comes after

  bool is_blocking() const noexcept {
    return !is_legacy && (flags & Stream::kNonBlocking) == 0;
  }
};

struct Event::State {
  int device = 0;
  unsigned flags = 0;
  OperationRef recorded = nullptr;  // null: never, or in a capture
  bool is_captured = false;
  CaptureRef capture = nullptr;        // it was recorded in
  std::vector<GraphNode*> nodes = {};  // what it then stands for
  std::shared_ptr<SharedEvent> shared = nullptr;
  std::uint64_t shared_record = 0;  // the number of `recorded` in it
};

struct Capture {
  std::uint64_t id;
  CaptureMode mode;
  std::thread::id thread;
  GraphRef graph;
  bool is_invalidated = false;
  bool is_ended = false;
  std::vector<std::shared_ptr<Stream::State>> streams;  // the origin is first
};

std::mutex& streams_lock();

// Wait for work, of which the host then knows that it is done. Without the
// lock.
void wait_on_host(std::span<const OperationRef> operations);

// Whether calls that use a device have to fail: in a forked child, or for good.
Status usability(int device) noexcept;

// The rest with the lock held.

// All streams of a device, those that are destroyed and not yet done too.
std::vector<std::shared_ptr<Stream::State>>& streams_of(int device);

// The work that work put into a stream now has to come after: that of its own
// stream, and by the rule of the legacy stream.
std::vector<OperationRef> predecessors(const Stream::State& stream);

// Append an operation to a stream that is not captured, after `more` too.
OperationRef append(Stream::State& stream, Work work,
                    std::span<const OperationRef> more);

// Operations with an order of their own: nodes of graphs.
OperationRef submit_on(std::uint32_t timeline, int device, Work work,
                       Operation::Traits traits,
                       std::span<const OperationRef> after);

// kCaptureImplicit, and captures are invalidated, where the legacy stream would
// have to wait for work that is being captured.
Status check_implicit(const Stream::State& stream);

// Make work a node of the stream's capture.
Status capture_work(Stream::State& stream, GraphNode node);
// Calls that a captured stream does not take: kCaptureUnsupported, and the
// capture is invalidated; kSuccess where there is none.
Status refuse_captured(const Stream::State& stream);
void invalidate(const CaptureRef& capture);
// A stream is destroyed: its capture comes to nothing, and ends if it began
// here.
void leave_capture(const Stream::State& stream);
// Go on after an event that was recorded in a capture, as part of it.
Status join_capture(const std::shared_ptr<Stream::State>& stream,
                    const Event::State& event);
// Whether a stream's capture still takes nodes.
Status check_active(const Stream::State& stream);

// Make an operation what an event has recorded.
void set_recorded(Event::State& event, const OperationRef& operation);
// What is put into a stream to record an event or to wait for it; where it is
// shared with other processes there is something to run.
Work work_of_record(Event::State& event);
Work work_of_wait(const Event::State& event);

}  // namespace eclosion::emulator
