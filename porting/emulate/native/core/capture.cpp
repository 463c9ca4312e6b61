// Captures: work becomes nodes of a graph instead of being run.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "scheduler.h"
#include "stream_state.h"

namespace eclosion::emulator {

namespace {

thread_local CaptureMode thread_mode = CaptureMode::kGlobal;

// Those that have not ended, in the order in which they began; under the lock
// of streams.
std::vector<CaptureRef>& captures() {
  static auto* all = new std::vector<CaptureRef>;
  return *all;
}

std::uint64_t next_capture() noexcept {
  static std::uint64_t last = 0;
  return ++last;
}

void end(const CaptureRef& capture) {
  capture->is_ended = true;
  for (const auto& stream : capture->streams) {
    stream->capture = nullptr;
    stream->frontier.clear();
  }
  capture->streams.clear();
  std::erase(captures(), capture);
}

// Whether all that was captured in other streams comes before what the origin
// has come to.
bool is_joined(const Capture& capture) {
  std::vector<const GraphNode*> left(capture.streams.front()->frontier.begin(),
                                     capture.streams.front()->frontier.end());
  std::unordered_set<const GraphNode*> before;
  while (!left.empty()) {
    const GraphNode* node = left.back();
    left.pop_back();
    if (before.insert(node).second)
      left.insert(left.end(), node->after.begin(), node->after.end());
  }
  return std::ranges::all_of(capture.streams, [&](const auto& stream) {
    return std::ranges::all_of(stream->frontier, [&](const GraphNode* node) {
      return before.contains(node);
    });
  });
}

Status why_not_ended(const Stream::State& stream) {
  const Capture& capture = *stream.capture;
  if (capture.streams.front().get() != &stream)
    return Status::kCaptureUnmatched;
  if (capture.mode != CaptureMode::kRelaxed &&
      capture.thread != std::this_thread::get_id())
    return Status::kCaptureWrongThread;
  return Status::kSuccess;
}

void add_new(std::vector<GraphNode*>& nodes,
             const std::vector<GraphNode*>& more) {
  for (GraphNode* node : more)
    if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
}

}  // namespace

void leave_capture(const Stream::State& stream) {
  if (!stream.capture) return;
  invalidate(stream.capture);
  const CaptureRef capture = stream.capture;
  if (capture->streams.front().get() == &stream) end(capture);
}

void invalidate(const CaptureRef& capture) { capture->is_invalidated = true; }

Status check_active(const Stream::State& stream) {
  return stream.capture->is_invalidated ? Status::kCaptureInvalidated
                                        : Status::kSuccess;
}

Status refuse_captured(const Stream::State& stream) {
  if (!stream.capture) return Status::kSuccess;
  invalidate(stream.capture);
  return Status::kCaptureUnsupported;
}

Status capture_work(Stream::State& stream, GraphNode node) {
  if (const Status status = check_active(stream); status != Status::kSuccess)
    return status;
  GraphNode* made = nullptr;
  const Status status =
      stream.capture->graph->add(std::move(node), stream.frontier, &made);
  if (status == Status::kSuccess) stream.frontier = {made};
  return status;
}

Status join_capture(const std::shared_ptr<Stream::State>& stream,
                    const Event::State& event) {
  const CaptureRef& capture = event.capture;
  if (capture->is_ended) {
    if (stream->capture) invalidate(stream->capture);
    return Status::kCapturedEvent;
  }
  if (capture->is_invalidated) return Status::kCaptureInvalidated;
  if (stream->is_legacy) {
    invalidate(capture);
    return Status::kCaptureImplicit;
  }
  if (stream->capture && stream->capture != capture) {
    invalidate(capture);
    invalidate(stream->capture);
    return Status::kCaptureMerge;
  }
  if (!stream->capture) {
    stream->capture = capture;
    capture->streams.push_back(stream);
  }
  add_new(stream->frontier, event.nodes);
  return Status::kSuccess;
}

Status Stream::begin_capture(CaptureMode mode) {
  if (const Status status = usability(device()); status != Status::kSuccess)
    return status;
  const std::scoped_lock guard(streams_lock());
  if (state_->is_legacy) return Status::kCaptureUnsupported;
  if (state_->capture) return Status::kIllegalState;
  auto capture = std::make_shared<Capture>(Capture{next_capture(),
                                                   mode,
                                                   std::this_thread::get_id(),
                                                   std::make_shared<Graph>(),
                                                   false,
                                                   false,
                                                   {state_}});
  state_->capture = capture;
  state_->frontier.clear();
  captures().push_back(std::move(capture));
  return Status::kSuccess;
}

Status Stream::end_capture(GraphRef* graph) {
  if (is_forked_child()) return Status::kNotInitialized;
  const std::scoped_lock guard(streams_lock());
  *graph = nullptr;
  if (!state_->capture) return Status::kIllegalState;
  const CaptureRef capture = state_->capture;
  if (const Status status = why_not_ended(*state_);
      status != Status::kSuccess) {
    invalidate(capture);
    return status;
  }
  const bool is_whole = is_joined(*capture);
  end(capture);
  if (capture->is_invalidated) return Status::kCaptureInvalidated;
  if (!is_whole) return Status::kCaptureUnjoined;
  *graph = std::move(capture->graph);
  return Status::kSuccess;
}

CaptureState Stream::capture_state() const {
  const std::scoped_lock guard(streams_lock());
  if (!state_->capture) return CaptureState::kNone;
  return state_->capture->is_invalidated ? CaptureState::kInvalidated
                                         : CaptureState::kActive;
}

std::uint64_t Stream::capture_id() const {
  const std::scoped_lock guard(streams_lock());
  return state_->capture ? state_->capture->id : 0;
}

GraphRef Stream::captured_graph() const {
  const std::scoped_lock guard(streams_lock());
  return state_->capture ? state_->capture->graph : nullptr;
}

std::vector<GraphNode*> Stream::capture_dependencies() const {
  const std::scoped_lock guard(streams_lock());
  return state_->frontier;
}

Status Stream::set_capture_dependencies(const std::vector<GraphNode*>& nodes,
                                        bool is_added) {
  const std::scoped_lock guard(streams_lock());
  if (!state_->capture) return Status::kIllegalState;
  if (const Status status = check_active(*state_); status != Status::kSuccess)
    return status;
  const Graph& graph = *state_->capture->graph;
  if (!std::ranges::all_of(
          nodes, [&](const GraphNode* node) { return graph.has(node); }))
    return Status::kInvalidValue;
  if (!is_added) state_->frontier.clear();
  add_new(state_->frontier, nodes);
  return Status::kSuccess;
}

// A capture forbids unsafe calls to the thread that began it, and a global one
// to all threads that have not said that they know what they do.
Status check_not_capturing() {
  if (thread_mode == CaptureMode::kRelaxed) return Status::kSuccess;
  const std::scoped_lock guard(streams_lock());
  Status status = Status::kSuccess;
  for (const CaptureRef& capture : captures()) {
    const bool is_own = capture->thread == std::this_thread::get_id() &&
                        capture->mode != CaptureMode::kRelaxed;
    const bool is_everyones = capture->mode == CaptureMode::kGlobal &&
                              thread_mode == CaptureMode::kGlobal;
    if (!is_own && !is_everyones) continue;
    invalidate(capture);
    status = Status::kCaptureUnsupported;
  }
  return status;
}

CaptureMode exchange_capture_mode(CaptureMode mode) {
  return std::exchange(thread_mode, mode);
}

}  // namespace eclosion::emulator
