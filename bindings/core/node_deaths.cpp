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
    if (!dead_.add(node, obituary)) return;
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
  // What is called once others know of it, and revive it, is of the next life.
  const auto calls = waiting_calls();
  for (const ConnectionPtr& connection : connections) {
    // Its end is no news of whoever has that identity next.
    connection->set_peer(0);
    connection->close("it is dead");
  }
  windows_.forget(node);
  segments_.forget(node);
  segment_reader_.forget(node);
  credits_.forget(node);
  if (is_gateway()) {
    Frame frame = base_frame(FrameKind::kObituary, node);
    frame.body = make_body(frame.header, "", {}, obituary, {});
    tell_neighbours(frame);
  }
  // After that, since it may revive the node, which others hear of later; and
  // before calls fail, since whoever waits for one may ask what it knows.
  if (tell) tell_agent("!obituary", node, obituary);
  for (const Frame& frame : held) undeliverable(frame, obituary);
  for (const auto& call : calls) call->fail(node, obituary);
}

void Node::revive(NodeId node) {
  {
    std::lock_guard lock(routes_mutex_);
    if (!dead_.remove(node)) return;
  }
  // Of another host's its own gateway tells, when it has been asked to start
  // it: what came earlier for it would meet a dead one there.
  if (is_gateway() && host_of(node) == host_of(id()))
    tell_neighbours(base_frame(FrameKind::kRevival, node));
}

void Node::revived(NodeId node) {
  {
    std::lock_guard lock(routes_mutex_);
    dead_.remove(node);
  }
  if (is_gateway()) tell_neighbours(base_frame(FrameKind::kRevival, node));
  tell_agent("!revived", node, "");
}

void Node::bury_host(NodeId gateway, const std::string& obituary) {
  const std::uint32_t host = host_of(gateway);
  std::vector<Frame> held;
  std::vector<ConnectionPtr> lost;
  {
    std::lock_guard lock(routes_mutex_);
    if (!dead_hosts_.add(host, obituary)) return;
    for (auto found = held_.begin(); found != held_.end();) {
      const bool gone = host_of(found->first) == host;
      if (gone)
        std::move(found->second.begin(), found->second.end(),
                  std::back_inserter(held));
      found = gone ? held_.erase(found) : std::next(found);
    }
    for (const ConnectionPtr& connection : connections_)
      if (host_of(connection->peer()) == host) lost.push_back(connection);
    std::erase_if(
        ways_, [host](const auto& way) { return host_of(way.first) == host; });
    std::erase_if(watched_,
                  [host](NodeId node) { return host_of(node) == host; });
  }
  for (const auto& connection : lost) connection->close("its host is given up");
  tell_agent("!obituary", gateway_of(gateway), obituary);
  for (const Frame& frame : held) undeliverable(frame, obituary);
  for (const auto& call : waiting_calls()) {
    std::unordered_set<NodeId> nodes;
    for (const Target& target : call->targets())
      if (host_of(target.node) == host) nodes.insert(target.node);
    for (NodeId node : nodes) call->fail(node, obituary);
  }
  windows_.forget_host(host);
  credits_.forget_host(host);
  if (!is_gateway()) return;
  transmit_all(trees_.lost(gateway_of(gateway)));
  Frame frame = base_frame(FrameKind::kObituary, gateway_of(gateway));
  frame.body = make_body(frame.header, "", {}, obituary, {});
  tell_neighbours(frame);
}

// A host's own processes are told everything, other hosts by the root alone:
// what happens to one node reaches all others in one order.
void Node::tell_neighbours(const Frame& frame) {
  const NodeId about = frame.header.target_node;
  const NodeId root = root_.load();
  std::vector<ConnectionPtr> neighbours;
  {
    std::lock_guard lock(routes_mutex_);
    for (const ConnectionPtr& connection : connections_) {
      const NodeId peer = connection->peer();
      const bool here = host_of(peer) == host_of(id());
      const bool told_by_root = root == id() && host_of(peer) != host_of(about);
      const bool tells_root =
          host_of(about) == host_of(id()) && (peer == root || root == 0);
      if (here || told_by_root || tells_root) neighbours.push_back(connection);
    }
  }
  for (const auto& neighbour : neighbours) neighbour->send(frame);
}

}  // namespace eclosion
