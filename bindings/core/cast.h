// A request for several mailboxes in one frame: rows stand before the body that
// each of them gets, and start at a multiple of kBufferAlignment with it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "frame.h"

namespace eclosion {

// One row of a cast: a mailbox, and its place in the call.
struct Target {
  NodeId node = 0;
  ActorId actor = 0;
  std::uint64_t index = 0;
  bool operator==(const Target&) const = default;
};
static_assert(sizeof(Target) == 24);

// One row of a tree, before its targets: a host, the number that the message
// has on its way there, and how many of the targets are behind its gateway.
struct Leg {
  NodeId gateway = 0;
  std::uint64_t number = 0;
  std::uint64_t targets = 0;
  bool operator==(const Leg&) const = default;
};
static_assert(sizeof(Leg) == 24);

// A host of a cast to several, as its sender has it.
struct Branch {
  Leg leg;
  std::vector<Target> targets;
};

// What rows add to a body at most.
constexpr std::uint64_t room_for_rows(std::uint64_t targets) {
  return targets * (sizeof(Target) + sizeof(Leg) + kBufferAlignment);
}

// The body without rows. These throw FrameError for rows that a frame does not
// have.
std::vector<Target> targets_of(const Frame& cast);
std::shared_ptr<const Bytes> without_rows(const Frame& cast);
// The hosts of a tree, each with its targets; there is one at least.
std::vector<Branch> branches_of(const Frame& tree);

// What one of the targets gets.
Frame for_target(const Frame& cast, const Target& target,
                 const std::shared_ptr<const Bytes>& rest);
// One frame for all of a request's targets: it is for the gateway of the first.
Frame cast_of(const Frame& request, std::span<const Target> targets);
// One frame for all of these hosts: it is for the gateway of the first.
Frame tree_of(const Frame& request, std::span<const Branch> branches);

// At most that many parts, as even as can be: a sender sends one frame to the
// first host of each, which passes the rest on in the same way.
std::vector<std::span<const Branch>> parts_of(std::span<const Branch> branches,
                                              std::size_t fanout);

}  // namespace eclosion
