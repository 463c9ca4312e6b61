// Graphs: nodes and edges, which never make a circle.
#include "graph.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

namespace eclosion::emulator {

namespace {

bool comes_after(const GraphNode& node, const GraphNode* before) {
  return std::ranges::find(node.after, before) != node.after.end();
}

// Whether `node` is `target` or depends on it, however far away.
bool depends_on(const GraphNode* node, const GraphNode* target) {
  std::vector<const GraphNode*> left{node};
  std::unordered_set<const GraphNode*> seen;
  while (!left.empty()) {
    const GraphNode* one = left.back();
    left.pop_back();
    if (one == target) return true;
    if (seen.insert(one).second)
      left.insert(left.end(), one->after.begin(), one->after.end());
  }
  return false;
}

bool has_twice(std::vector<GraphNode*> nodes) {
  std::ranges::sort(nodes);
  return std::ranges::adjacent_find(nodes) != nodes.end();
}

}  // namespace

bool Graph::has(const GraphNode* node) const noexcept {
  return std::ranges::any_of(
      nodes_, [&](const auto& own) { return own.get() == node; });
}

Status Graph::add(GraphNode node, const std::vector<GraphNode*>& after,
                  GraphNode** made) {
  for (const GraphNode* one : after)
    if (!has(one)) return Status::kInvalidValue;
  if (has_twice(after)) return Status::kInvalidValue;
  if (node.kind == NodeKind::kChild) {
    if (!node.child) return Status::kInvalidValue;
    node.child = node.child->clone();
  }
  node.after = after;
  node.graph = this;
  nodes_.push_back(std::make_unique<GraphNode>(std::move(node)));
  *made = nodes_.back().get();
  return Status::kSuccess;
}

Status Graph::remove(GraphNode* node) {
  if (!has(node)) return Status::kInvalidValue;
  for (const auto& own : nodes_) std::erase(own->after, node);
  std::erase_if(copies_, [&](const auto& pair) { return pair.second == node; });
  std::erase_if(nodes_, [&](const auto& own) { return own.get() == node; });
  return Status::kSuccess;
}

Status Graph::add_edge(GraphNode* from, GraphNode* to) {
  if (!has(from) || !has(to)) return Status::kInvalidValue;
  if (comes_after(*to, from) || depends_on(from, to))
    return Status::kInvalidValue;
  to->after.push_back(from);
  return Status::kSuccess;
}

Status Graph::remove_edge(GraphNode* from, GraphNode* to) {
  if (!has(from) || !has(to)) return Status::kInvalidValue;
  return std::erase(to->after, from) != 0 ? Status::kSuccess
                                          : Status::kInvalidValue;
}

GraphRef Graph::clone() const {
  auto copy = std::make_shared<Graph>();
  std::unordered_map<const GraphNode*, GraphNode*> copy_of;
  for (const auto& node : nodes_) {
    copy->nodes_.push_back(std::make_unique<GraphNode>(*node));
    GraphNode* made = copy->nodes_.back().get();
    made->graph = copy.get();
    if (node->child) made->child = node->child->clone();
    copy_of.emplace(node.get(), made);
    copy->copies_.emplace_back(node.get(), made);
  }
  for (const auto& node : copy->nodes_)
    for (GraphNode*& before : node->after) before = copy_of.at(before);
  return copy;
}

GraphNode* Graph::find_copy(const GraphNode* original) const {
  for (const auto& [from, copy] : copies_)
    if (from == original) return copy;
  for (const auto& node : nodes_) {
    if (!node->child) continue;
    if (GraphNode* found = node->child->find_copy(original)) return found;
  }
  return nullptr;
}

std::vector<GraphNode*> Graph::roots() const {
  std::vector<GraphNode*> found;
  for (const auto& node : nodes_)
    if (node->after.empty()) found.push_back(node.get());
  return found;
}

std::vector<GraphNode*> Graph::in_order() const {
  std::unordered_map<const GraphNode*, std::size_t> missing;
  std::unordered_map<const GraphNode*, std::vector<GraphNode*>> followers;
  std::deque<GraphNode*> next;
  for (const auto& node : nodes_) {
    missing[node.get()] = node->after.size();
    for (const GraphNode* before : node->after)
      followers[before].push_back(node.get());
    if (node->after.empty()) next.push_back(node.get());
  }
  std::vector<GraphNode*> order;
  while (!next.empty()) {
    GraphNode* node = next.front();
    next.pop_front();
    order.push_back(node);
    for (GraphNode* follower : followers[node])
      if (--missing[follower] == 0) next.push_back(follower);
  }
  return order;
}

}  // namespace eclosion::emulator
