// Events: what a stream had been given at a moment, to be waited for or timed.
#include <chrono>
#include <cmath>
#include <utility>

#include "scheduler.h"
#include "shared_event.h"
#include "stream_state.h"

namespace eclosion::emulator {

namespace {

// The resolution that both vendors give for the time between events.
constexpr double kResolutionUs = 0.5;

Status refuse_captured_event(const Event::State& event) {
  if (!event.is_captured) return Status::kSuccess;
  if (!event.capture->is_ended) invalidate(event.capture);
  return Status::kCapturedEvent;
}

Status record_captured(Event::State& event, const Stream::State& stream) {
  if (const Status status = check_active(stream); status != Status::kSuccess)
    return status;
  event.recorded = nullptr;
  event.is_captured = true;
  event.capture = stream.capture;
  event.nodes = stream.frontier;
  return Status::kSuccess;
}

// Tell the other processes when what was recorded already is done.
void share_record(Event::State& event) {
  Work work = work_of_record(event);
  const auto operation = std::make_shared<Operation>(
      event.device, std::move(work.title), std::move(work.body),
      Operation::Traits{.even_after_failure = true}, std::vector<AccessRange>{},
      Ordering{});
  Scheduler::get().submit(operation, std::span(&event.recorded, 1));
}

}  // namespace

Work work_of_record(Event::State& event) {
  Work work{NodeKind::kEventRecord, {"record of an event"}, {}, {}, {}};
  if (event.shared) {
    const std::uint64_t record = event.shared->begin_record();
    event.shared_record = record;
    // Other processes wait for it, who know nothing of this one's device.
    work.even_after_failure = true;
    work.body = [shared = event.shared, record](Operation&) {
      shared->finish_record(record);
      return Status::kSuccess;
    };
  }
  return work;
}

Work work_of_wait(const Event::State& event) {
  Work work{NodeKind::kEventWait, {"wait for an event"}, {}, {}, {}};
  if (!event.shared) return work;
  const std::uint64_t record = event.shared->last_record();
  // What this process recorded last is waited for as any other work.
  if (record == 0 || record == event.shared_record) return work;
  work.lane = Lane::kWatch;
  work.body = [shared = event.shared, record](Operation&) {
    return shared->state_of(record);
  };
  return work;
}

void set_recorded(Event::State& event, const OperationRef& operation) {
  event.recorded = operation;
  event.is_captured = false;
  event.capture = nullptr;
  event.nodes.clear();
}

Event::Event(int device, unsigned flags)
    : state_(std::make_shared<State>(State{device, flags})) {}

Event::~Event() = default;

int Event::device() const noexcept { return state_->device; }
unsigned Event::flags() const noexcept { return state_->flags; }

Status Event::record(Stream& stream) {
  if (stream.device() != state_->device) return Status::kInvalidHandle;
  if (const Status status = usability(stream.device());
      status != Status::kSuccess)
    return status;
  const std::scoped_lock guard(streams_lock());
  Stream::State& recorded = stream.state();
  if (recorded.capture) return record_captured(*state_, recorded);
  if (const Status status = check_implicit(recorded);
      status != Status::kSuccess)
    return status;
  set_recorded(*state_, append(recorded, work_of_record(*state_), {}));
  return Status::kSuccess;
}

Status Event::record_external(Stream& stream) {
  if (stream.device() != state_->device) return Status::kInvalidHandle;
  {
    const std::scoped_lock guard(streams_lock());
    if (stream.state().capture) {
      GraphNode node;
      node.kind = NodeKind::kEventRecord;
      node.device = state_->device;
      node.title = {"record of an event"};
      node.event = shared_from_this();
      return capture_work(stream.state(), std::move(node));
    }
  }
  return record(stream);
}

Status Event::synchronize() {
  if (is_forked_child()) return Status::kNotInitialized;
  OperationRef recorded;
  std::shared_ptr<SharedEvent> shared;
  {
    const std::scoped_lock guard(streams_lock());
    if (const Status status = refuse_captured_event(*state_);
        status != Status::kSuccess)
      return status;
    recorded = state_->recorded;
    shared = state_->shared;
  }
  wait_on_host(std::span(&recorded, 1));
  if (shared) {
    const Status status = shared->wait(shared->last_record());
    if (status != Status::kSuccess) return status;
  }
  return device_failure(state_->device);
}

Status Event::query() const {
  if (is_forked_child()) return Status::kNotInitialized;
  OperationRef recorded;
  {
    const std::scoped_lock guard(streams_lock());
    if (const Status status = refuse_captured_event(*state_);
        status != Status::kSuccess)
      return status;
    recorded = state_->recorded;
    if (recorded && !recorded->is_done()) return Status::kNotReady;
    if (state_->shared) {
      const Status status =
          state_->shared->state_of(state_->shared->last_record());
      if (status != Status::kSuccess) return status;
    }
  }
  wait_on_host(std::span(&recorded, 1));
  return device_failure(state_->device);
}

Status Event::elapsed_since(const Event& begin, float* milliseconds) const {
  if (is_forked_child()) return Status::kNotInitialized;
  const std::scoped_lock guard(streams_lock());
  const State* const both[] = {begin.state_.get(), state_.get()};
  for (const State* event : both) {
    if (const Status status = refuse_captured_event(*event);
        status != Status::kSuccess)
      return status;
    if ((event->flags & kDisableTiming) != 0 || !event->recorded)
      return Status::kInvalidHandle;
  }
  if (const Status failure = device_failure(state_->device);
      failure != Status::kSuccess)
    return failure;
  for (const State* event : both)
    if (!event->recorded->is_done()) return Status::kNotReady;
  const std::chrono::duration<double, std::micro> passed =
      state_->recorded->finished() - begin.state_->recorded->finished();
  *milliseconds = static_cast<float>(
      std::round(passed.count() / kResolutionUs) * kResolutionUs / 1000.0);
  return Status::kSuccess;
}

Status Event::export_handle(unsigned char (&handle)[64]) {
  if (is_forked_child()) return Status::kNotInitialized;
  // The flag needs timing to be off, as in both vendors' documentation.
  if ((state_->flags & kInterprocess) == 0 ||
      (state_->flags & kDisableTiming) == 0)
    return Status::kInvalidHandle;
  const std::scoped_lock guard(streams_lock());
  if (!state_->shared) {
    state_->shared = SharedEvent::make();
    if (!state_->shared) return Status::kOutOfMemory;
    // A record from before the export is one that others can wait for.
    if (state_->recorded) share_record(*state_);
  }
  state_->shared->describe(handle);
  return Status::kSuccess;
}

Status Event::import_handle(const unsigned char (&handle)[64], int device,
                            EventRef* event) {
  if (is_forked_child()) return Status::kNotInitialized;
  std::shared_ptr<SharedEvent> shared;
  if (const Status status = SharedEvent::open(handle, &shared);
      status != Status::kSuccess)
    return status;
  auto made = std::make_shared<Event>(device, kInterprocess | kDisableTiming);
  made->state_->shared = std::move(shared);
  *event = std::move(made);
  return Status::kSuccess;
}

}  // namespace eclosion::emulator
