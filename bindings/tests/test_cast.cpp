// core/cast: rows are what they were made of, and lies are refused.
#include "cast.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "nodes.h"

using namespace nodes;
using eclosion::Branch;
using eclosion::Bytes;
using eclosion::FrameError;
using eclosion::FrameKind;

namespace {

Frame request(std::string_view method, std::string_view data,
              std::string_view buffer) {
  Frame frame;
  frame.header.kind = FrameKind::kRequest;
  frame.header.request = 9;
  OutgoingBuffer row;
  row.memory = buffer.data();
  row.size = buffer.size();
  frame.body = make_body(frame.header, method, {}, data, {&row, 1});
  return frame;
}

// Hosts with one to three targets each.
std::vector<Branch> branches(std::size_t count) {
  std::vector<Branch> made;
  for (std::size_t i = 0; i < count; ++i) {
    const NodeId gateway = node_id(static_cast<std::uint32_t>(i + 1), 0);
    Branch branch{{gateway, i + 100, i % 3 + 1}, {}};
    for (std::uint64_t target = 0; target < branch.leg.targets; ++target)
      branch.targets.push_back({gateway + target, i, target});
    made.push_back(branch);
  }
  return made;
}

Frame with_first_leg(const Frame& tree, std::uint64_t targets) {
  auto body = std::make_shared<Bytes>(tree.body->size());
  std::memcpy(body->data(), tree.body->data(), body->size());
  std::memcpy(body->data() + offsetof(eclosion::Leg, targets), &targets,
              sizeof(targets));
  Frame changed = tree;
  changed.body = body;
  return changed;
}

}  // namespace

TEST_CASE("a cast has its targets and each of them the request") {
  const Frame one = request("method", "data", "buffer");
  const std::vector<Target> targets{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  const Frame cast = cast_of(one, targets);
  check_header(cast.header, cast.body->size());
  CHECK(targets_of(cast) == targets);
  const auto rest = without_rows(cast);
  for (const Target& target : targets) {
    const Frame frame = for_target(cast, target, rest);
    check_header(frame.header, frame.body->size());
    CHECK(frame.header.kind == FrameKind::kRequest);
    CHECK(frame.header.target_node == target.node);
    CHECK(frame.header.target_actor == target.actor);
    CHECK(frame.header.index == target.index);
    CHECK(frame.header.request == 9);
    CHECK(data_of(frame) == "data");
    CHECK(buffer_of(frame, 0) == "buffer");
  }
}

TEST_CASE("more targets than a cast has room for are refused") {
  Frame cast = cast_of(request("m", "", ""), std::vector<Target>(2));
  for (const std::uint32_t count : {50U, ~0U}) {
    cast.header.target_count = count;
    CHECK_THROWS_AS(without_rows(cast), FrameError);
  }
  CHECK_THROWS_AS(targets_of(cast), FrameError);
}

TEST_CASE("a tree has its hosts, their targets, and the request") {
  for (std::size_t count = 1; count < 10; ++count) {
    const auto made = branches(count);
    const Frame tree = tree_of(request("method", "data", "buffer"), made);
    check_header(tree.header, tree.body->size());
    CHECK(tree.header.kind == FrameKind::kTree);
    CHECK(tree.header.target_node == made.front().leg.gateway);
    const auto found = branches_of(tree);
    REQUIRE(found.size() == count);
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(found[i].leg == made[i].leg);
      CHECK(found[i].targets == made[i].targets);
    }
    const Frame one = for_target(tree, {1, 2, 3}, without_rows(tree));
    CHECK(method_of(one) == "method");
    CHECK(buffer_of(one, 0) == "buffer");
  }
}

TEST_CASE("hosts that do not share the targets of their tree are refused") {
  const Frame tree = tree_of(request("m", "", ""), branches(3));
  for (const std::uint64_t targets : {0ULL, 2ULL, 7ULL, ~0ULL})
    CHECK_THROWS_AS(branches_of(with_first_leg(tree, targets)), FrameError);
  for (const std::uint32_t hosts : {0U, 2U, 4U, ~0U}) {
    Frame other = tree;
    other.header.index = hosts;
    CHECK_THROWS_AS(branches_of(other), FrameError);
  }
  Frame other = tree;
  other.header.target_count = ~0U;
  CHECK_THROWS_AS(branches_of(other), FrameError);
  CHECK_THROWS_AS(without_rows(other), FrameError);
}

TEST_CASE("parts are even, in order, and no more than the fan-out") {
  for (std::size_t count = 0; count < 40; ++count) {
    const auto made = branches(count);
    for (std::size_t fanout = 1; fanout < 12; ++fanout) {
      const auto parts = parts_of(made, fanout);
      CHECK(parts.size() == std::min(fanout, count));
      const Branch* next = made.data();
      for (const auto part : parts) {
        CHECK(part.data() == next);
        CHECK(part.size() >= count / fanout);
        CHECK(part.size() <= count / fanout + 1);
        next += part.size();
      }
      CHECK(next == made.data() + count);
    }
  }
}
