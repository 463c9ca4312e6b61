// Instantiated graphs: each launch makes one operation of every node.
//
// Nodes are laid out once: those of child graphs among the others, and each on
// a timeline with nodes that follow one another, so that races between branches
// are seen and steps of one branch are not taken for any (ordering.h).
#include <algorithm>
#include <iterator>
#include <mutex>

#include "stream_state.h"

namespace eclosion::emulator {

namespace {

bool has_same_edges(const Graph& a, const Graph& b, std::size_t index) {
  const auto& left = a.nodes()[index]->after;
  const auto& right = b.nodes()[index]->after;
  const auto place = [](const Graph& graph, const GraphNode* node) {
    const auto& all = graph.nodes();
    return std::ranges::find_if(
               all, [&](const auto& own) { return own.get() == node; }) -
           all.begin();
  };
  // Edges are compared as sets: the order in which they were made means
  // nothing.
  std::vector<std::ptrdiff_t> from_left;
  std::vector<std::ptrdiff_t> from_right;
  for (const GraphNode* node : left) from_left.push_back(place(a, node));
  for (const GraphNode* node : right) from_right.push_back(place(b, node));
  std::ranges::sort(from_left);
  std::ranges::sort(from_right);
  return from_left == from_right;
}

// What keeps `fresh` from replacing `old`, and at which node of `fresh`.
GraphDifference difference_of(const Graph& old, const Graph& fresh,
                              const GraphNode** at) {
  if (old.nodes().size() != fresh.nodes().size())
    return GraphDifference::kTopology;
  for (std::size_t i = 0; i < old.nodes().size(); ++i) {
    const GraphNode& was = *old.nodes()[i];
    const GraphNode& is = *fresh.nodes()[i];
    *at = &is;
    if (was.kind != is.kind) return GraphDifference::kNodeKind;
    if (was.device != is.device) return GraphDifference::kDevice;
    if (!has_same_edges(old, fresh, i)) return GraphDifference::kTopology;
    if (!was.child) continue;
    const GraphDifference inside = difference_of(*was.child, *is.child, at);
    if (inside != GraphDifference::kNone) return inside;
  }
  *at = nullptr;
  return GraphDifference::kNone;
}

void take_over(const Graph& from, const Graph& to) {
  for (std::size_t i = 0; i < from.nodes().size(); ++i) {
    const GraphNode& fresh = *from.nodes()[i];
    GraphNode& node = *to.nodes()[i];
    node.title = fresh.title;
    node.body = fresh.body;
    node.parameters = fresh.parameters;
    node.traits = fresh.traits;
    node.ranges = fresh.ranges;
    node.event = fresh.event;
    if (fresh.child) take_over(*fresh.child, *node.child);
  }
}

Work work_of(const GraphNode& node, const void* site) {
  Work work{node.kind, node.title, {}, {}, {}};
  if (!work.title.site) work.title.site = site;
  if (!node.is_enabled) return work;
  work.body = node.body;
  work.ranges = node.ranges;
  work.lane = node.traits.lane;
  return work;
}

}  // namespace

Status GraphExec::instantiate(const Graph& graph, GraphExecRef* made) {
  GraphExecRef exec(new GraphExec);
  exec->copy_ = graph.clone();
  exec->ends_ = exec->flatten(*exec->copy_, {});
  *made = std::move(exec);
  return Status::kSuccess;
}

GraphExec::~GraphExec() {
  for (const std::uint32_t timeline : timelines_)
    Timelines::give_back(timeline);
}

// A step goes on with the timeline of a step before it that has no follower
// there yet.
std::uint32_t GraphExec::timeline_after(const std::vector<std::size_t>& after) {
  for (const std::size_t before : after) {
    const auto last = std::ranges::find(last_on_, before);
    if (last == last_on_.end()) continue;
    *last = steps_.size();
    return timelines_[static_cast<std::size_t>(last - last_on_.begin())];
  }
  timelines_.push_back(Timelines::take());
  last_on_.push_back(steps_.size());
  return timelines_.back();
}

std::vector<std::size_t> GraphExec::flatten(
    const Graph& graph, const std::vector<std::size_t>& after) {
  std::vector<std::pair<const GraphNode*, std::size_t>> step_of;
  std::vector<bool> is_followed;
  for (const GraphNode* node : graph.in_order()) {
    std::vector<std::size_t> before =
        node->after.empty() ? after : decltype(after){};
    for (const auto& [earlier, step] : step_of)
      if (std::ranges::find(node->after, earlier) != node->after.end())
        before.push_back(step);
    if (node->child) before = flatten(*node->child, before);
    const std::uint32_t timeline = timeline_after(before);
    step_of.emplace_back(node, steps_.size());
    steps_.push_back({node, std::move(before), timeline});
  }
  std::vector<std::size_t> ends;
  for (const auto& [node, step] : step_of) {
    const bool has_follower =
        std::ranges::any_of(step_of, [&](const auto& one) {
          return std::ranges::find(one.first->after, node) !=
                 one.first->after.end();
        });
    if (!has_follower) ends.push_back(step);
  }
  return ends.empty() ? after : ends;
}

OperationRef GraphExec::begin(const Step& step, const void* site,
                              std::vector<OperationRef> after) {
  const GraphNode& node = *step.node;
  Work work = work_of(node, site);
  if (node.event && node.is_enabled) {
    Event::State& event = node.event->state();
    const bool is_record = node.kind == NodeKind::kEventRecord;
    Work event_work = is_record ? work_of_record(event) : work_of_wait(event);
    work.body = std::move(event_work.body);
    work.lane = event_work.lane;
    work.even_after_failure = event_work.even_after_failure;
    if (!is_record) after.push_back(event.recorded);
  }
  Operation::Traits traits = node.traits;
  traits.lane = work.lane;
  traits.even_after_failure |= work.even_after_failure;
  const OperationRef made =
      submit_on(step.timeline, node.device, std::move(work), traits, after);
  if (node.event && node.kind == NodeKind::kEventRecord)
    set_recorded(node.event->state(), made);
  return made;
}

Status GraphExec::launch(Stream& stream, const void* site) {
  if (const Status status = usability(stream.device());
      status != Status::kSuccess)
    return status;
  const std::scoped_lock guard(streams_lock());
  Stream::State& state = stream.state();
  if (state.capture) {
    GraphNode node;
    node.kind = NodeKind::kChild;
    node.device = state.device;
    node.title = {"graph", site};
    node.child = copy_;
    return capture_work(state, std::move(node));
  }
  if (const Status status = check_implicit(state); status != Status::kSuccess)
    return status;
  const Title title{"graph", site};
  const OperationRef first = append(
      state, {NodeKind::kEmpty, title, {}, {}, {}}, std::span(&last_, 1));
  std::vector<OperationRef> made;
  made.reserve(steps_.size());
  for (const Step& step : steps_) {
    std::vector<OperationRef> after;
    for (const std::size_t before : step.after) after.push_back(made[before]);
    if (after.empty()) after.push_back(first);
    made.push_back(begin(step, site, std::move(after)));
  }
  std::vector<OperationRef> ends;
  for (const std::size_t end : ends_) ends.push_back(made[end]);
  last_ = append(state, {NodeKind::kEmpty, title, {}, {}, {}}, ends);
  return Status::kSuccess;
}

Status GraphExec::update(const Graph& graph, GraphDifference* difference,
                         const GraphNode** at) {
  const std::scoped_lock guard(streams_lock());
  const GraphNode* where = nullptr;
  const GraphDifference found = difference_of(*copy_, graph, &where);
  if (difference) *difference = found;
  if (at) *at = where;
  if (found != GraphDifference::kNone) return Status::kGraphUpdateFailed;
  take_over(graph, *copy_);
  return Status::kSuccess;
}

GraphNode* GraphExec::find(const GraphNode* original) const {
  return copy_->find_copy(original);
}

}  // namespace eclosion::emulator
