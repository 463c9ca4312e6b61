// core/node: hosts that are lost, who is told of deaths, and ways through
// another host.
#include <doctest/doctest.h>
#include <sys/time.h>

#include "hosts.h"

using namespace nodes;
using eclosion::FrameKind;

namespace {

constexpr ActorId kActor = 7;

const NodeId kSelf = node_id(1, 0);
const NodeId kWorker = node_id(1, 1);
const NodeId kOwnProcess = node_id(1, 5);
const NodeId kOther = node_id(2, 0);
const NodeId kThird = node_id(3, 0);

// The next frame that a node wrote to an impostor, past heartbeats.
Frame next(Impostor& peer) {
  const timeval patience{kPatience.count(), 0};
  ::setsockopt(peer.fd(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  Frame frame;
  do {
    REQUIRE(::recv(peer.fd(), &frame.header, sizeof(frame.header),
                   MSG_WAITALL) == sizeof(frame.header));
    auto body = std::make_shared<eclosion::Bytes>(frame.header.body_length);
    const auto size = static_cast<ssize_t>(body->size());
    if (size != 0)
      REQUIRE(::recv(peer.fd(), body->data(), body->size(), MSG_WAITALL) ==
              size);
    frame.body = std::move(body);
  } while (frame.header.kind == FrameKind::kHeartbeat);
  return frame;
}

bool is_closed(Impostor& peer) {
  std::array<char, 4096> bytes;
  ssize_t got;
  do got = ::recv(peer.fd(), bytes.data(), bytes.size(), 0);
  while (got > 0);
  return got == 0;
}

// A gateway, a process of its host, and two other hosts.
struct Star {
  std::unique_ptr<Node> node = started(kSelf);
  Impostor worker{*node, kWorker};
  Impostor other{*node, kOther, false};
  Impostor third{*node, kThird, false};

  // What a peer has been told so far, of deaths ("-") and revivals ("+").
  std::string told(Impostor& peer, NodeId id) {
    send(*node, {{{id, kActor, 0}}, "so far"});
    std::string told;
    while (true) {
      const Frame frame = next(peer);
      if (frame.header.kind == FrameKind::kRequest) return told;
      const bool dead = frame.header.kind == FrameKind::kObituary;
      if (!dead) REQUIRE(frame.header.kind == FrameKind::kRevival);
      told += dead ? "-" + data_of(frame) : "+";
      CHECK(frame.header.target_node == about);
    }
  }
  NodeId about = 0;
  std::string worker_told() { return told(worker, kWorker); }
  std::string other_told() { return told(other, kOther); }
  std::string third_told() { return told(third, kThird); }
};

Frame obituary(NodeId dead, std::string_view text) {
  Frame frame;
  frame.header.kind = FrameKind::kObituary;
  frame.header.target_node = dead;
  frame.body = make_body(frame.header, "", {}, text, {});
  return frame;
}

// The agent is told before the neighbours are, in one turn of the loop.
void wait_for_loop(Node& node) {
  node.loop().run_and_wait([] {}, kPatience);
}

bool is_asked_nothing(Node& node) {
  return node.mailbox(eclosion::kAgent)->size() == 0;
}

}  // namespace

TEST_CASE("what has no way of its own goes through another host, and stays") {
  const auto node = started(kSelf);
  Impostor relay(*node, kThird, false);
  const NodeId far = node_id(2, 4);
  send(*node, {{{kOther, kActor, 0}}, "0"});
  send(*node, {{{far, kActor, 0}}, "1"});
  CHECK(news(*node, "!unrouted").header.source_node == kOther);
  // Nobody knows this one.
  node->route_through(kOther, node_id(4, 0));
  send(*node, {{{kOther, kActor, 0}}, "2"});
  CHECK(is_asked_nothing(*node));
  node->route_through(kOther, kThird);
  send(*node, {{{far, kActor, 0}}, "3"});
  // A way that opens later takes nothing over: it could overtake.
  Impostor direct(*node, kOther, false);
  send(*node, {{{kOther, kActor, 0}}, "4"});
  const NodeId targets[] = {kOther, far, kOther, far, kOther};
  for (int i = 0; i < 5; ++i) {
    const Frame frame = next(relay);
    CHECK(data_of(frame) == std::to_string(i));
    CHECK(frame.header.target_node == targets[i]);
  }
}

TEST_CASE("a host that has a way is not sent another") {
  Star star;
  star.node->route_through(kOther, kThird);
  send(*star.node, {{{kOther, kActor, 0}}, "direct"});
  CHECK(data_of(next(star.other)) == "direct");
}

TEST_CASE("what is sent while the way through another opens is in order") {
  const auto node = started(kSelf);
  const auto relay = started(kThird);
  const auto other = started(kOther);
  link(*node, *relay, false);
  link(*relay, *other, false);
  // What is returned for messages takes the same way back.
  other->route_through(kSelf, kThird);
  hosts::Stream stream(*node, {{kOther, kActor, 0}});
  CHECK(news(*node, "!unrouted").header.source_node == kOther);
  REQUIRE(stream.is_under_way());
  node->route_through(kOther, kThird);
  stream.end();
  CHECK(stream.arrives_at({other.get()}, kActor));
  const auto made = call(*node, {{{kOther, kActor, 0}}, "x"});
  answer(*other, take(*other, kActor), "y");
  CHECK(data_of(replies(*made).at(0)) == "y");
}

TEST_CASE("two hosts that lose each other say so, and hold what is said") {
  const auto node = started(kSelf);
  const auto other = started(kOther);
  link(*node, *other, false);
  Impostor third(*node, kThird, false);
  const auto before = call(*node, {{{kOther, kActor, 0}}, "before"});
  CHECK(data_of(take(*other, kActor)) == "before");
  node->disconnect(kOther);
  Frame lost = news(*node, "!lost");
  CHECK(lost.header.source_node == kOther);
  CHECK(data_of(lost) == "it was asked to");
  lost = news(*other, "!lost");
  CHECK(lost.header.source_node == kSelf);
  CHECK(data_of(lost) == "the peer closed the connection");
  // What was under way may be lost, so nothing may come in its place.
  const auto held = call(*node, {{{kOther, kActor, 0}}, "held"});
  const auto to_process = call(*node, {{{node_id(2, 3), kActor, 0}}, "held"});
  CHECK(is_asked_nothing(*node));
  CHECK_FALSE(before->settled());
  CHECK_FALSE(held->settled());
  node->bury_host(kOther, "out of reach");
  for (const auto& made : {before, held, to_process}) {
    const Frame reply = replies(*made).at(0);
    CHECK(status_of(reply) == ReplyStatus::kFailed);
    CHECK(data_of(reply) == "out of reach");
  }
  CHECK(data_of(news(*node, "!obituary")) == "out of reach");
  CHECK(is_asked_nothing(*node));
  CHECK(node->obituary_of(node_id(2, 9)) == "out of reach");
  // The other one does the same; nobody else is told by either.
  other->bury_host(kSelf, "gone");
  const auto back = call(*other, {{{kSelf, kActor, 0}}, "x"});
  CHECK(data_of(replies(*back).at(0)) == "gone");
  send(*node, {{{kThird, kActor, 0}}, "first"});
  CHECK(data_of(next(third)) == "first");
  CHECK(other->mailbox(kActor)->size() == 0);
}

TEST_CASE("a lost host fails its own part of a call, and no other") {
  Star star;
  const auto made = call(
      *star.node,
      {{{kOther, kActor, 0}, {node_id(2, 1), kActor, 1}, {kThird, kActor, 2}},
       "x"});
  star.node->bury_host(kOther, "gone");
  CHECK(is_closed(star.other));
  Frame reply = next(star.third);
  reply.header.kind = FrameKind::kReply;
  reply.header.source_node = kThird;
  reply.header.target_node = kSelf;
  reply.header.index = 2;
  star.third.write(reply);
  std::array<std::string, 3> texts;
  std::size_t arrived = 0;
  CHECK(wait_for(made->gate(), [&] {
    for (auto each = made->next(); each; each = made->next(), ++arrived)
      texts.at(each->header.index) = data_of(*each);
    return arrived == texts.size();
  }));
  CHECK(texts[0] == "gone");
  CHECK(texts[1] == "gone");
  CHECK(texts[2] == "x");
}

TEST_CASE("a host that is given up is news once, of its gateway") {
  Star star;
  star.node->watch(node_id(2, 3));
  star.node->bury_host(node_id(2, 3), "gone");
  star.node->bury_host(kOther, "again");
  const Frame obituary = news(*star.node, "!obituary");
  CHECK(obituary.header.source_node == kOther);
  CHECK(data_of(obituary) == "gone");
  CHECK(is_closed(star.other));
  // Its end is no loss any more.
  for (int i = 0; i < 2; ++i) star.node->loop().run_and_wait([] {}, kPatience);
  CHECK(is_asked_nothing(*star.node));
  star.node->watch(node_id(2, 4));
  CHECK(news(*star.node, "!obituary").header.source_node == node_id(2, 4));
  star.about = kOther;
  CHECK(star.worker_told() == "-gone");
  CHECK(star.third_told() == "");
}

TEST_CASE("who waits for room in a lost host's mailbox waits no longer") {
  NodeSettings small = settings(kSelf);
  small.mailbox_capacity = 1;
  const auto node = started(small);
  Impostor other(*node, kOther, false);
  send(*node, {{{kOther, kActor, 0}}, "full"});
  const auto next = prepare(*node, {{{kOther, kActor, 0}}, "waits"});
  REQUIRE_FALSE(node->try_send(*next, nullptr));
  const std::uint32_t seen = node->windows().gate().count();
  node->bury_host(kOther, "gone");
  CHECK(node->windows().gate().count() != seen);
  CHECK(node->try_send(*next, nullptr));
}

TEST_CASE("nothing waits for a lost host, and its shared memory is free") {
  NodeSettings small = settings(kWorker);
  small.shared_memory_limit = 1 << 20;
  const auto node = started(kSelf);
  const auto worker = started(small);
  link(*node, *worker);
  const std::string large(300'000, 'l');
  send(*worker, {{{kOther, kActor, 0}}, "x", {large}});
  CHECK(news(*node, "!unrouted").header.source_node == kOther);
  node->bury_host(kOther, "gone");
  CHECK(all_is_free(*worker));
  for (const auto& [what, count] : node->holdings())
    if (std::string_view(what) == "held") CHECK(count == 0);
}

TEST_CASE("a process behind a gateway learns of a host that is given up") {
  const auto node = started(kSelf);
  const auto worker = started(kWorker);
  link(*node, *worker);
  Impostor other(*node, kOther, false);
  const auto made = call(*worker, {{{node_id(2, 3), kActor, 0}}, "x"});
  CHECK(data_of(next(other)) == "x");
  worker->watch(node_id(2, 3));
  node->bury_host(kOther, "gone");
  CHECK(data_of(replies(*made).at(0)) == "gone");
  CHECK(news(*worker, "!obituary").header.source_node == kOther);
  const auto later = call(*worker, {{{node_id(2, 8), kActor, 0}}, "x"});
  CHECK(data_of(replies(*later).at(0)) == "gone");
}

TEST_CASE("before there is a root, a gateway tells all of its own dead") {
  Star star;
  star.about = kOwnProcess;
  star.node->bury(kOwnProcess, "dead");
  star.node->bury(kOwnProcess, "twice");
  star.node->revive(kOwnProcess);
  star.node->revive(kOwnProcess);
  CHECK(star.worker_told() == "-dead+");
  CHECK(star.other_told() == "-dead+");
  CHECK(star.third_told() == "-dead+");
}

TEST_CASE("a gateway tells its own processes and the root of its dead") {
  Star star;
  star.node->set_root(kThird);
  star.about = kOwnProcess;
  star.node->bury(kOwnProcess, "dead");
  star.node->revive(kOwnProcess);
  CHECK(star.worker_told() == "-dead+");
  CHECK(star.third_told() == "-dead+");
  CHECK(star.other_told() == "");
}

TEST_CASE("what the root says is for the own processes alone") {
  Star star;
  star.node->set_root(kThird);
  NodeId dead = 0;
  SUBCASE("of a process of another host") { dead = node_id(4, 2); }
  SUBCASE("of a host") { dead = node_id(4, 0); }
  star.about = dead;
  star.node->watch(dead);
  star.third.write(obituary(dead, "dead"));
  const Frame heard = news(*star.node, "!obituary");
  CHECK(heard.header.source_node == dead);
  CHECK(star.node->obituary_of(dead) == "dead");
  const bool host = dead == node_id(4, 0);
  CHECK((star.node->obituary_of(node_id(4, 7)) == "dead") == host);
  wait_for_loop(*star.node);
  CHECK(star.worker_told() == "-dead");
  CHECK(star.other_told() == "");
  CHECK(star.third_told().empty());
}

TEST_CASE("a host that a gateway loses is not its to tell others of") {
  Star star;
  star.node->set_root(kThird);
  star.about = kOther;
  star.node->bury_host(kOther, "lost");
  CHECK(star.worker_told() == "-lost");
  CHECK(star.third_told() == "");
  CHECK(is_closed(star.other));
}

TEST_CASE("the root tells all hosts but the one it is about") {
  Star star;
  star.node->set_root(kSelf);
  SUBCASE("of a process of its own") {
    star.about = kOwnProcess;
    star.node->bury(kOwnProcess, "dead");
    CHECK(star.other_told() == "-dead");
  }
  SUBCASE("of what a gateway told it") {
    star.about = node_id(2, 3);
    star.node->watch(star.about);
    star.other.write(obituary(star.about, "dead"));
    CHECK(data_of(news(*star.node, "!obituary")) == "dead");
    wait_for_loop(*star.node);
    CHECK(star.other_told() == "");
  }
  SUBCASE("of a host that is given up") {
    star.about = kOther;
    star.node->bury_host(kOther, "dead");
    CHECK(is_closed(star.other));
  }
  CHECK(star.worker_told() == "-dead");
  CHECK(star.third_told() == "-dead");
}
