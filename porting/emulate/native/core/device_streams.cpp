// The streams of each device: the rule of the default stream, and waiting for
// all.
//
// The legacy default stream and the blocking streams of its device wait for
// each other in the order in which work is put; streams that were made
// non-blocking wait for neither. (NVIDIA's programming guide, "Default Stream";
// the HIP documentation, "Asynchronous concurrent execution", says the same.)
// The default stream of a thread is a blocking stream like any other.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "device_failures.h"
#include "host_guard.h"
#include "leaks.h"
#include "scheduler.h"
#include "stream_state.h"

namespace eclosion::emulator {

namespace {

struct Devices {
  std::array<std::vector<std::shared_ptr<Stream::State>>, kMostDevices> streams;
  std::array<StreamRef, kMostDevices> legacy;
};

// It lives as long as the process: threads run while it ends.
Devices& devices() {
  static auto* all = new Devices;
  return *all;
}

std::vector<const Ordering*> orders_of(std::span<const OperationRef> after) {
  std::vector<const Ordering*> orders;
  for (const OperationRef& one : after)
    if (one) orders.push_back(&one->order());
  return orders;
}

// Destroyed streams whose work is done leave, and their timelines are free.
void forget_abandoned(std::vector<std::shared_ptr<Stream::State>>& streams) {
  std::erase_if(streams, [](const auto& stream) {
    const bool is_over =
        stream->is_abandoned && (!stream->tail || stream->tail->is_done());
    if (is_over) Timelines::give_back(stream->timeline);
    return is_over;
  });
}

}  // namespace

std::mutex& streams_lock() {
  static auto* lock = new std::mutex;
  return *lock;
}

Status usability(int device) noexcept {
  if (is_forked_child()) return Status::kNotInitialized;
  return device_failure(device);
}

std::vector<std::shared_ptr<Stream::State>>& streams_of(int device) {
  auto& streams = devices().streams.at(static_cast<std::size_t>(device));
  forget_abandoned(streams);
  return streams;
}

std::vector<OperationRef> predecessors(const Stream::State& stream) {
  std::vector<OperationRef> before;
  if (stream.tail) before.push_back(stream.tail);
  const auto device = static_cast<std::size_t>(stream.device);
  if (stream.is_legacy) {
    for (const auto& other : devices().streams.at(device))
      if (other->is_blocking() && other->tail) before.push_back(other->tail);
  } else if (stream.is_blocking()) {
    const StreamRef& legacy = devices().legacy.at(device);
    if (legacy && legacy->state().tail) before.push_back(legacy->state().tail);
  }
  return before;
}

OperationRef submit_on(std::uint32_t timeline, int device, Work work,
                       Operation::Traits traits,
                       std::span<const OperationRef> after) {
  const auto operation = std::make_shared<Operation>(
      device, std::move(work.title), std::move(work.body), traits,
      std::move(work.ranges), Timelines::next(timeline, orders_of(after)));
  guard_host_memory(operation);
  Scheduler::get().submit(operation, after);
  return operation;
}

OperationRef append(Stream::State& stream, Work work,
                    std::span<const OperationRef> more) {
  std::vector<OperationRef> after = predecessors(stream);
  after.insert(after.end(), more.begin(), more.end());
  const Operation::Traits traits{work.lane, stream.priority,
                                 work.even_after_failure};
  stream.tail =
      submit_on(stream.timeline, stream.device, std::move(work), traits, after);
  return stream.tail;
}

void wait_on_host(std::span<const OperationRef> operations) {
  for (const OperationRef& one : operations) {
    if (!one) continue;
    Scheduler::get().wait(one);
    host_saw(one->order());
  }
  open_seen_memory();
}

Status check_implicit(const Stream::State& stream) {
  if (!stream.is_legacy) return Status::kSuccess;
  Status status = Status::kSuccess;
  for (const auto& other : streams_of(stream.device)) {
    if (!other->is_blocking() || !other->capture) continue;
    invalidate(other->capture);
    status = Status::kCaptureImplicit;
  }
  return status;
}

StreamRef Stream::legacy(int device) {
  static std::mutex making;
  const std::scoped_lock one_makes_it(making);
  StreamRef& legacy = devices().legacy.at(static_cast<std::size_t>(device));
  if (legacy) return legacy;
  auto made = std::make_shared<Stream>(device, 0, 0);
  const std::scoped_lock guard(streams_lock());
  made->state_->is_legacy = true;
  legacy = std::move(made);
  return legacy;
}

StreamRef Stream::per_thread(int device) {
  thread_local std::map<int, StreamRef> mine;
  StreamRef& stream = mine[device];
  if (!stream) stream = std::make_shared<Stream>(device, 0, 0);
  return stream;
}

Status synchronize_device(int device) {
  if (is_forked_child()) return Status::kNotInitialized;
  std::vector<OperationRef> last;
  {
    const std::scoped_lock guard(streams_lock());
    Status status = Status::kSuccess;
    for (const auto& stream : streams_of(device)) {
      if (stream->capture) status = refuse_captured(*stream);
      if (stream->tail) last.push_back(stream->tail);
    }
    if (status != Status::kSuccess) return status;
  }
  wait_on_host(last);
  return device_failure(device);
}

void drain_devices() {
  if (is_forked_child()) return;
  std::vector<OperationRef> last;
  {
    const std::scoped_lock guard(streams_lock());
    for (int device = 0; device < kMostDevices; ++device) {
      for (const auto& stream : streams_of(device)) {
        if (stream->tail) last.push_back(stream->tail);
      }
    }
  }
  wait_on_host(last);
}

Status reset_device(int device) {
  if (is_forked_child()) return Status::kNotInitialized;
  std::vector<OperationRef> last;
  {
    const std::scoped_lock guard(streams_lock());
    for (const auto& stream : streams_of(device)) {
      if (stream->capture) invalidate(stream->capture);
      if (stream->tail) last.push_back(stream->tail);
    }
  }
  wait_on_host(last);
  note_reset(device);
  forget_failure(device);
  return Status::kSuccess;
}

}  // namespace eclosion::emulator
