// Messages of Python on their way to the core.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/node.h"

namespace eclosion {

// The actors that a message goes to, prepared once for a mesh.
struct PyTargets {
  std::vector<Target> rows;
};

PyTargets make_targets(const std::vector<NodeId>& nodes,
                       const std::vector<ActorId>& actors);

// There was no room for a message within its time.
class Full : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Each copies data and buffers before it returns, waits at most `timeout`
// seconds for room, and throws Full then. A handler of a signal that raises
// ends the wait with what it raised.
std::shared_ptr<Call> send_call(Node& node, const PyTargets& targets,
                                ActorId source, nanobind::handle method,
                                const nanobind::tuple& chain,
                                nanobind::handle data,
                                const nanobind::list& buffers, double timeout,
                                const std::string& caller);
void send_cast(Node& node, const PyTargets& targets, ActorId source,
               nanobind::handle method, const nanobind::tuple& chain,
               nanobind::handle data, const nanobind::list& buffers,
               double timeout);
// Answers one target's part of a call; `index` and `request` are the request's.
void send_reply(Node& node, NodeId caller, std::uint64_t request,
                std::uint32_t index, int status, nanobind::handle data,
                const nanobind::list& buffers);

}  // namespace eclosion
