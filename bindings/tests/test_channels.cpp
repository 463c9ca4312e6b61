// core/node: the mailboxes of channels, which leave nothing when they are
// dropped.
#include <doctest/doctest.h>

#include "node.h"
#include "nodes.h"

using namespace nodes;
using eclosion::kChannel;

namespace {

constexpr ActorId kOpen = kChannel | 7;

struct Pair {
  std::unique_ptr<Node> gateway;
  std::unique_ptr<Node> process;
  Pair() {
    NodeSettings narrow = settings(node_id(1, 0));
    narrow.mailbox_capacity = 16;
    gateway = started(narrow);
    narrow.id = node_id(1, 1);
    process = started(narrow);
    link(*gateway, *process);
  }
  // Sends, and waits for room as long as that takes.
  void put(int times) {
    for (int i = 0; i < times; ++i)
      send(*gateway, {{{process->id(), kOpen, 0}}, "number"});
  }
};

}  // namespace

TEST_CASE("what is sent to a channel that is not open is dropped") {
  Pair pair;
  pair.put(100);  // more than the window: its room comes back at once
  const auto last =
      call(*pair.gateway, {{{pair.process->id(), kOpen, 0}}, "last"});
  REQUIRE(wait_for(last->gate(), [&] { return last->settled(); }));
  pair.process->open_mailbox(kOpen);
  const auto made =
      call(*pair.gateway, {{{pair.process->id(), kOpen, 0}}, "x"});
  CHECK(data_of(take(*pair.process, kOpen)) == "x");
}

TEST_CASE("a dropped channel returns the room of all that was sent to it") {
  Pair pair;
  for (int round = 0; round < 10; ++round) {
    const auto open = pair.process->open_mailbox(kOpen);
    pair.put(15);
    REQUIRE(wait_for(open->gate(), [&] { return open->size() == 15; }));
    // What is taken one by one is less than what is returned at a time.
    if (round % 2 == 0) CHECK(data_of(take(*pair.process, kOpen)) == "number");
    pair.process->drop_mailbox(kOpen);
    CHECK(open->closed());
  }
}

TEST_CASE("a call to a dropped channel fails at once") {
  Pair pair;
  pair.process->open_mailbox(kOpen);
  const auto before =
      call(*pair.gateway, {{{pair.process->id(), kOpen, 0}}, "x"});
  const auto open = pair.process->mailbox(kOpen);
  REQUIRE(wait_for(open->gate(), [&] { return open->size() == 1; }));
  pair.process->drop_mailbox(kOpen);
  pair.process->drop_mailbox(kOpen);
  const auto after =
      call(*pair.gateway, {{{pair.process->id(), kOpen, 0}}, "x"});
  for (const auto& made : {before, after}) {
    REQUIRE(wait_for(made->gate(), [&] { return made->settled(); }));
    const auto problem = made->problem();
    REQUIRE(problem);
    CHECK(status_of(*problem) == ReplyStatus::kFailed);
  }
}
