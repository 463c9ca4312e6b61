// Streams: work is appended, and waited for.
#include "stream.h"

#include <algorithm>
#include <utility>

#include "scheduler.h"
#include "shared_event.h"
#include "stream_state.h"

namespace eclosion::emulator {

namespace {

std::uint64_t next_id() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

GraphNode node_of(Work work, const Stream::State& stream) {
  GraphNode node;
  node.kind = work.kind;
  node.device = stream.device;
  node.title = std::move(work.title);
  node.body = std::move(work.body);
  node.parameters = std::move(work.parameters);
  node.traits.lane = work.lane;
  node.traits.priority = stream.priority;
  node.ranges = std::move(work.ranges);
  return node;
}

Status put_work(Stream::State& stream, Work work) {
  if (const Status status = usability(stream.device);
      status != Status::kSuccess)
    return status;
  const std::scoped_lock guard(streams_lock());
  if (stream.capture) {
    return capture_work(stream, node_of(std::move(work), stream));
  }
  if (const Status status = check_implicit(stream); status != Status::kSuccess)
    return status;
  append(stream, std::move(work), {});
  return Status::kSuccess;
}

// What a stream has to finish for its work to be done: the legacy stream's
// includes that of all blocking streams.
std::vector<OperationRef> tails(const Stream::State& stream) {
  if (stream.is_legacy) return predecessors(stream);
  return stream.tail ? std::vector{stream.tail} : std::vector<OperationRef>{};
}

}  // namespace

Stream::Stream(int device, unsigned flags, int priority)
    : state_(std::make_shared<State>(
          State{device, flags, priority, next_id(), Timelines::take()})) {
  const std::scoped_lock guard(streams_lock());
  streams_of(device).push_back(state_);
}

Stream::~Stream() {
  if (is_forked_child()) return;
  const std::scoped_lock guard(streams_lock());
  leave_capture(*state_);
  state_->is_abandoned = true;
}

int Stream::device() const noexcept { return state_->device; }
unsigned Stream::flags() const noexcept { return state_->flags; }
int Stream::priority() const noexcept { return state_->priority; }
std::uint64_t Stream::id() const noexcept { return state_->id; }
bool Stream::is_legacy() const noexcept { return state_->is_legacy; }

Status Stream::put(Work work) { return put_work(*state_, std::move(work)); }

Status Stream::put_host(Title title, std::function<void(Status)> function,
                        bool even_after_failure, NodeParameters parameters) {
  Work work{NodeKind::kHost,       std::move(title), {}, {},
            std::move(parameters), Lane::kHost};
  work.body = [function = std::move(function)](Operation& operation) {
    function(device_failure(operation.device()));
    return Status::kSuccess;
  };
  work.even_after_failure = even_after_failure;
  return put_work(*state_, std::move(work));
}

Status Stream::synchronize() {
  if (is_forked_child()) return Status::kNotInitialized;
  std::vector<OperationRef> last;
  {
    const std::scoped_lock guard(streams_lock());
    Status status = refuse_captured(*state_);
    if (status == Status::kSuccess) status = check_implicit(*state_);
    if (status != Status::kSuccess) return status;
    last = tails(*state_);
  }
  wait_on_host(last);
  return device_failure(state_->device);
}

Status Stream::query() const {
  if (is_forked_child()) return Status::kNotInitialized;
  std::vector<OperationRef> last;
  {
    const std::scoped_lock guard(streams_lock());
    Status status = refuse_captured(*state_);
    if (status == Status::kSuccess) status = check_implicit(*state_);
    if (status != Status::kSuccess) return status;
    last = tails(*state_);
  }
  if (!std::ranges::all_of(last,
                           [](const auto& one) { return one->is_done(); }))
    return Status::kNotReady;
  wait_on_host(last);
  return device_failure(state_->device);
}

Status Stream::wait(const EventRef& event) {
  if (const Status status = usability(device()); status != Status::kSuccess)
    return status;
  const std::scoped_lock guard(streams_lock());
  Event::State& waited = event->state();
  if (waited.is_captured) return join_capture(state_, waited);
  if (!waited.recorded && !waited.shared) return Status::kSuccess;
  if (state_->capture) {
    invalidate(state_->capture);
    return Status::kCaptureIsolation;
  }
  if (const Status status = check_implicit(*state_); status != Status::kSuccess)
    return status;
  append(*state_, work_of_wait(waited), std::span(&waited.recorded, 1));
  return Status::kSuccess;
}

Status Stream::wait_external(const EventRef& event) {
  {
    const std::scoped_lock guard(streams_lock());
    if (state_->capture) {
      GraphNode node = node_of(
          {NodeKind::kEventWait, {"wait for an event"}, {}, {}, {}}, *state_);
      node.event = event;
      return capture_work(*state_, std::move(node));
    }
  }
  return wait(event);
}

}  // namespace eclosion::emulator
