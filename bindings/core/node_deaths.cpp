// The deaths of nodes and hosts, and who is told of them.
#include <iterator>
#include <utility>

#include "node.h"

namespace eclosion {

void Node::bury(NodeId node, const std::string& obituary) {
  read_rest_of(node);
  std::vector<Frame> held;
  std::vector<ConnectionPtr> connections;
  bool tell = false;
  {
    std::lock_guard lock(routes_mutex_);
    if (!dead_.try_emplace(node, obituary).second) return;
    for (auto found = held_.begin(); found != held_.end();) {
      // Also what cannot be reached without it.
      const bool lost = unreachable(found->first).has_value();
      if (lost)
        std::move(found->second.begin(), found->second.end(),
                  std::back_inserter(held));
      found = lost ? held_.erase(found) : std::next(found);
    }
    ways_.erase(node);
    lost_.erase(node);
    for (const ConnectionPtr& connection : connections_)
      if (connection->peer() == node) connections.push_back(connection);
    tell = watched_.erase(node) != 0;
  }
  for (const ConnectionPtr& connection : connections) {
    // Its end is no news of whoever has that identity next.
    connection->set_peer(0);
    connection->close("it is dead");
  }
  for (const Frame& frame : held) undeliverable(frame, obituary);
  fail_calls(node, obituary);
  windows_.forget(node);
  segments_.forget(node);
  credits_.forget(node);
  if (tell) tell_agent("!obituary", node, obituary);
  if (!is_gateway()) return;
  Frame frame = base_frame(FrameKind::kObituary, node);
  frame.body = make_body(frame.header, "", {}, obituary, {});
  tell_neighbours(frame);
}

void Node::revive(NodeId node) {
  {
    std::lock_guard lock(routes_mutex_);
    if (dead_.erase(node) == 0) return;
  }
  if (is_gateway()) tell_neighbours(base_frame(FrameKind::kRevival, node));
}

void Node::bury_host(NodeId gateway, const std::string& obituary) {
  std::vector<NodeId> lost;
  {
    std::lock_guard lock(routes_mutex_);
    const auto host = host_of(gateway);
    dead_hosts_.try_emplace(host, obituary);
    lost.push_back(gateway);
    for (NodeId node : watched_)
      if (host_of(node) == host && node != gateway) lost.push_back(node);
    for (const auto& [node, frames] : held_)
      if (host_of(node) == host && node != gateway) lost.push_back(node);
  }
  {
    std::lock_guard lock(calls_mutex_);
    for (const auto& [id, weak] : calls_) {
      auto call = weak.lock();
      if (!call) continue;
      for (const Target& target : call->targets())
        if (host_of(target.node) == host_of(gateway))
          lost.push_back(target.node);
    }
  }
  for (NodeId node : lost) bury(node, obituary);
}

void Node::fail_calls(NodeId node, const std::string& obituary) {
  for (const auto& call : waiting_calls()) call->fail(node, obituary);
}

void Node::tell_neighbours(const Frame& frame) {
  std::vector<ConnectionPtr> neighbours;
  {
    std::lock_guard lock(routes_mutex_);
    neighbours.assign(connections_.begin(), connections_.end());
  }
  for (const auto& neighbour : neighbours) neighbour->send(frame);
}

}  // namespace eclosion
