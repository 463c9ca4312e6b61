// Rows before a body.
#include "cast.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

namespace eclosion {
namespace {

std::size_t padded(std::size_t size) {
  return (size + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

[[noreturn]] void refuse(const char* what, std::uint64_t value) {
  throw FrameError(std::string("malformed frame: ") + what + " is " +
                   std::to_string(value));
}

std::uint64_t leg_bytes(const FrameHeader& header) {
  return header.kind == FrameKind::kTree ? header.index * sizeof(Leg) : 0;
}

std::uint64_t row_bytes(const FrameHeader& header) {
  return leg_bytes(header) + header.target_count * sizeof(Target);
}

template <typename Row>
std::vector<Row> rows_at(const Frame& frame, std::uint64_t offset,
                         std::size_t count) {
  if (row_bytes(frame.header) > frame.body->size())
    refuse("the number of targets", frame.header.target_count);
  std::vector<Row> rows(count);
  if (count != 0)
    std::memcpy(rows.data(), frame.body->data() + offset, count * sizeof(Row));
  return rows;
}

// The request's body with rows of one or two kinds before it.
Frame with_rows(const Frame& request, std::span<const Leg> legs,
                std::span<const Target> targets) {
  const std::size_t rows = legs.size_bytes() + targets.size_bytes();
  const std::size_t start = padded(rows);
  auto body = std::make_shared<Bytes>(start + request.body->size());
  if (!legs.empty()) std::memcpy(body->data(), legs.data(), legs.size_bytes());
  std::memcpy(body->data() + legs.size_bytes(), targets.data(),
              targets.size_bytes());
  if (start != rows) std::memset(body->data() + rows, 0, start - rows);
  if (request.body->size() != 0)
    std::memcpy(body->data() + start, request.body->data(),
                request.body->size());
  Frame cast{request.header, body, request.segment};
  cast.header.target_count = static_cast<std::uint32_t>(targets.size());
  cast.header.body_length = body->size();
  return cast;
}

}  // namespace

std::vector<Target> targets_of(const Frame& cast) {
  return rows_at<Target>(cast, leg_bytes(cast.header),
                         cast.header.target_count);
}

std::shared_ptr<const Bytes> without_rows(const Frame& cast) {
  const std::size_t start = padded(row_bytes(cast.header));
  if (start > cast.body->size())
    refuse("the number of targets", cast.header.target_count);
  auto rest = std::make_shared<Bytes>(cast.body->size() - start);
  if (rest->size() != 0)
    std::memcpy(rest->data(), cast.body->data() + start, rest->size());
  return rest;
}

std::vector<Branch> branches_of(const Frame& tree) {
  const auto legs = rows_at<Leg>(tree, 0, tree.header.index);
  const std::vector<Target> targets = targets_of(tree);
  std::vector<Branch> branches;
  std::size_t next = 0;
  for (const Leg& leg : legs) {
    if (leg.targets == 0 || leg.targets > targets.size() - next)
      refuse("the number of targets of a host", leg.targets);
    const auto first = targets.begin() + static_cast<std::ptrdiff_t>(next);
    next += leg.targets;
    branches.push_back(
        {leg, {first, first + static_cast<std::ptrdiff_t>(leg.targets)}});
  }
  if (branches.empty() || next != targets.size())
    refuse("the number of hosts", legs.size());
  return branches;
}

Frame for_target(const Frame& cast, const Target& target,
                 const std::shared_ptr<const Bytes>& rest) {
  Frame frame{cast.header, rest, cast.segment};
  frame.header.kind = FrameKind::kRequest;
  frame.header.target_count = 0;
  frame.header.body_length = rest->size();
  frame.header.target_node = target.node;
  frame.header.target_actor = target.actor;
  frame.header.index = static_cast<std::uint32_t>(target.index);
  return frame;
}

Frame cast_of(const Frame& request, std::span<const Target> targets) {
  Frame cast = with_rows(request, {}, targets);
  cast.header.kind = FrameKind::kCast;
  cast.header.target_node = gateway_of(targets.front().node);
  return cast;
}

Frame tree_of(const Frame& request, std::span<const Branch> branches) {
  std::vector<Leg> legs;
  std::vector<Target> targets;
  for (const Branch& branch : branches) {
    legs.push_back(
        {branch.leg.gateway, branch.leg.number, branch.targets.size()});
    targets.insert(targets.end(), branch.targets.begin(), branch.targets.end());
  }
  Frame tree = with_rows(request, legs, targets);
  tree.header.kind = FrameKind::kTree;
  tree.header.target_node = legs.front().gateway;
  tree.header.index = static_cast<std::uint32_t>(legs.size());
  tree.header.number = 0;
  return tree;
}

std::vector<std::span<const Branch>> parts_of(std::span<const Branch> branches,
                                              std::size_t fanout) {
  std::vector<std::span<const Branch>> parts;
  for (std::size_t left = std::min(fanout, branches.size()); left != 0;
       --left) {
    const std::size_t size = (branches.size() + left - 1) / left;
    parts.push_back(branches.first(size));
    branches = branches.subspan(size);
  }
  return parts;
}

}  // namespace eclosion
