// core/host_order: HO-1 to HO-3.
#include "host_order.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "nodes.h"

using namespace nodes;
using eclosion::Branch;
using eclosion::Kept;
using eclosion::ReceivedOrder;
using eclosion::SentOrder;

namespace {

constexpr std::uint32_t kHost = 5;

Frame numbered(std::uint64_t number, std::uint64_t size = 10) {
  Frame frame;
  frame.header.number = number;
  frame.header.body_length = size;
  return frame;
}

Branch branch_to(std::uint32_t host) {
  return {{static_cast<NodeId>(host) << 32, 0, 1}, {{1, 2, 3}}};
}

using Receipts = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

}  // namespace

TEST_CASE("HO-1, HO-2: each number is delivered once and in its turn") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint64_t> coming;
    for (std::uint64_t number = 1; number <= 50; ++number)
      coming.insert(coming.end(), 1 + random() % 3, number);
    std::shuffle(coming.begin(), coming.end(), random);
    ReceivedOrder order;
    std::uint64_t last = 0;
    for (const std::uint64_t number : coming)
      for (const Frame& frame :
           order.take(kHost, numbered(number), random() % 2 == 0))
        CHECK(frame.header.number == ++last);
    CHECK(last == 50);
  }
}

TEST_CASE("hosts have numbers of their own") {
  SentOrder sent;
  CHECK(sent.next(1) == 1);
  CHECK(sent.next(1) == 2);
  CHECK(sent.next(2) == 1);
  Branch branch = branch_to(1);
  sent.keep({}, branch);
  CHECK(branch.leg.number == 3);
  sent.forget(1);
  CHECK(sent.next(1) == 1);
  ReceivedOrder received;
  CHECK(received.take(1, numbered(1), false).size() == 1);
  CHECK(received.take(2, numbered(1), false).size() == 1);
  received.forget(1);
  CHECK(received.take(1, numbered(1), false).size() == 1);
}

TEST_CASE("HO-3: what has no receipt is taken once, in its order") {
  SentOrder sent;
  std::vector<Branch> branches;
  for (int i = 0; i < 5; ++i) {
    branches.push_back(branch_to(1));
    sent.keep({}, branches.back());
    sent.next(1);
  }
  Branch other = branch_to(2);
  sent.keep({}, other);
  CHECK(sent.kept() == 6);
  sent.receipt(1, branches[1].leg.number);
  sent.receipt(3, 100);
  CHECK(sent.kept() == 4);
  std::vector<std::uint64_t> numbers;
  for (const Kept& kept : sent.take_kept())
    if (kept.branch.leg.gateway == branches[0].leg.gateway)
      numbers.push_back(kept.branch.leg.number);
  CHECK(numbers == std::vector<std::uint64_t>{5, 7, 9});
  CHECK(sent.take_kept().empty());
}

TEST_CASE("a receipt is due for what other hosts brought, once it is there") {
  ReceivedOrder order;
  order.take(kHost, numbered(1), false);
  CHECK(order.unreceipted(kHost) == 0);
  CHECK(order.receipts().empty());
  order.take(kHost, numbered(3, 1000), true);
  // Number 1 is not what waits for one, but it is what can be told so far.
  CHECK(order.receipts() == Receipts{{kHost, 1}});
  CHECK(order.unreceipted(kHost) == 0);
  order.take(kHost, numbered(4, 24), true);
  CHECK(order.unreceipted(kHost) == 0);
  order.take(kHost, numbered(2), false);
  CHECK(order.unreceipted(kHost) >= 24);
  CHECK(order.receipts() == Receipts{{kHost, 4}});
  CHECK(order.unreceipted(kHost) == 0);
  CHECK(order.receipts().empty());
}
