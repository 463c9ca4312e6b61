// core/node: messages, their order and their windows, calls that come back.
#include "node.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <thread>

#include "nodes.h"

using namespace nodes;
using eclosion::ChainLink;

namespace {

constexpr ActorId kActor = 7;

// A gateway with two processes of its host.
struct Host {
  std::unique_ptr<Node> gateway = started(node_id(1, 0));
  std::unique_ptr<Node> one = started(node_id(1, 1));
  std::unique_ptr<Node> two = started(node_id(1, 2));
  explicit Host(bool unix_socket = true) {
    link(*gateway, *one, unix_socket);
    link(*gateway, *two, unix_socket);
  }
};

// Numbers its messages, and checks that a receiver sees each sender's in order.
struct Order {
  std::map<std::string, int> next;
  void check(const std::string& data) {
    const auto at = data.find(' ');
    int& expected = next[data.substr(0, at)];
    CHECK(std::stoi(data.substr(at + 1)) == expected);
    ++expected;
  }
};

}  // namespace

TEST_CASE("a node sends to itself") {
  const auto node = started(node_id(1, 0));
  const auto made = call(*node, {{{node->id(), kActor, 0}}, "ping"});
  const Frame request = take(*node, kActor);
  CHECK(data_of(request) == "ping");
  CHECK(request.header.source_actor == 1);
  answer(*node, request, "pong");
  CHECK(data_of(replies(*made).at(0)) == "pong");
}

TEST_CASE(
    "a call to several processes has its replies in the order of targets") {
  Host host;
  const auto made = call(*host.gateway, {{{host.two->id(), kActor, 0},
                                          {host.one->id(), kActor, 1},
                                          {host.gateway->id(), kActor, 2}},
                                         "x"});
  answer(*host.gateway, take(*host.gateway, kActor), "gateway");
  answer(*host.one, take(*host.one, kActor), "one");
  CHECK_FALSE(made->settled());
  answer(*host.two, take(*host.two, kActor), "two");
  const auto all = replies(*made);
  REQUIRE(all.size() == 3);
  CHECK(data_of(all[0]) == "two");
  CHECK(data_of(all[1]) == "one");
  CHECK(data_of(all[2]) == "gateway");
}

TEST_CASE("messages arrive once and in order, from threads, relayed or not") {
  for (const bool unix_socket : {true, false}) {
    Host host(unix_socket);
    constexpr int kMessages = 300;
    constexpr int kThreads = 3;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < kMessages; ++i) {
          std::string data = std::to_string(thread) + " " + std::to_string(i);
          // Some are larger than what a socket takes at once.
          data.resize(i % 50 == 49 ? 300'000 : data.size(), ' ');
          send(*host.one, {{{host.two->id(), kActor, 0}}, data});
        }
      });
    }
    Order order;
    for (int i = 0; i < kThreads * kMessages; ++i)
      order.check(data_of(take(*host.two, kActor)));
    for (auto& thread : threads) thread.join();
    CHECK(order.next.size() == kThreads);
    CHECK(host.two->mailbox(kActor)->size() == 0);
  }
}

TEST_CASE("a window of four holds up its senders, and no message is lost") {
  auto narrow = settings(node_id(1, 1));
  narrow.mailbox_capacity = 4;
  const auto gateway = started(node_id(1, 0));
  const auto sender = started(narrow);
  narrow.id = node_id(1, 2);
  const auto receiver = started(narrow);
  link(*gateway, *sender);
  link(*gateway, *receiver);
  const std::vector<Target> targets{{receiver->id(), kActor, 0}};
  for (int i = 0; i < 4; ++i)
    send(*sender, {targets, "a " + std::to_string(i)});
  const auto fifth = prepare(*sender, {targets, "a 4"});
  CHECK_FALSE(sender->try_send(*fifth, nullptr));
  // Another actor's window is another.
  send(*sender, {{{receiver->id(), kActor + 1, 0}}, "other"});
  Order order;
  order.check(data_of(take(*receiver, kActor)));
  CHECK(wait_for(sender->windows().gate(),
                 [&] { return sender->try_send(*fifth, nullptr); }));
  std::thread rest([&] {
    for (int i = 5; i < 200; ++i)
      send(*sender, {targets, "a " + std::to_string(i)});
  });
  for (int i = 1; i < 200; ++i) {
    order.check(data_of(take(*receiver, kActor)));
    CHECK(receiver->mailbox(kActor)->size() <= 4);
  }
  rest.join();
}

TEST_CASE("a message as large as a window passes after small ones were taken") {
  auto small = settings(node_id(1, 0));
  small.mailbox_bytes = 1 << 20;
  const auto node = started(small);
  const std::vector<Target> targets{{node->id(), kActor, 0}};
  for (int i = 0; i < 100; ++i) {
    send(*node, {targets, std::string(1000, 'x')});
    take(*node, kActor);
  }
  const auto large = prepare(*node, {targets, std::string(1 << 20, 'x')});
  CHECK(node->try_send(*large, nullptr));
}

TEST_CASE("a message without a receiver does not use up the window") {
  auto narrow = settings(node_id(1, 1));
  narrow.mailbox_capacity = 2;
  const auto gateway = started(node_id(1, 0));
  const auto worker = started(narrow);
  link(*gateway, *worker);
  const std::vector<Target> targets{{node_id(1, 9), kActor, 0}};
  for (int i = 0; i < 2; ++i) send(*worker, {targets, "lost"});
  CHECK(news(*gateway, "!unrouted").header.source_node == node_id(1, 9));
  // Its sender does not hear of the death: only of room.
  const auto third = prepare(*worker, {targets, "third"});
  CHECK_FALSE(worker->try_send(*third, nullptr));
  gateway->bury(node_id(1, 9), "never was");
  CHECK(wait_for(worker->windows().gate(),
                 [&] { return worker->try_send(*third, nullptr); }));
}

TEST_CASE("a call that comes back to who waits for it is a deadlock") {
  Host host;
  for (const bool waits_first : {true, false}) {
    const auto mailbox = host.one->mailbox(kActor);
    const auto outer =
        host.one->new_call(std::vector<Target>{{host.two->id(), kActor, 0}});
    if (waits_first) mailbox->begin_wait(outer->id());
    send(*host.one,
         {{{host.two->id(), kActor, 0}},
          "out",
          {},
          {{host.one->id(), kActor, outer->id(), "actor one"}}},
         outer);
    const Frame request = take(*host.two, kActor);
    const auto view = view_of(request.header, *request.body);
    const auto back = call(
        *host.two, {{{host.one->id(), kActor, 0}}, "back", {}, view.chain});
    if (!waits_first) {
      REQUIRE(wait_for(mailbox->gate(), [&] { return mailbox->size() == 1; }));
      mailbox->begin_wait(outer->id());
    }
    const Frame reply = replies(*back).at(0);
    CHECK(status_of(reply) == ReplyStatus::kDeadlock);
    CHECK(data_of(reply) == "actor one\n");
    CHECK(mailbox->size() == 0);
    mailbox->end_wait(outer->id());
    answer(*host.two, request, "done");
    CHECK(data_of(replies(*outer).at(0)) == "done");
  }
}

TEST_CASE("a closed mailbox answers what is in it and what comes") {
  Host host;
  const std::vector<Target> targets{{host.two->id(), kActor, 0}};
  const auto early = call(*host.one, {targets, "early"});
  const auto mailbox = host.two->mailbox(kActor);
  REQUIRE(wait_for(mailbox->gate(), [&] { return mailbox->size() == 1; }));
  host.two->close_mailbox(kActor, "it stopped");
  const auto late = call(*host.one, {targets, "late"});
  for (const auto& made : {early, late}) {
    const Frame reply = replies(*made).at(0);
    CHECK(status_of(reply) == ReplyStatus::kFailed);
    CHECK(data_of(reply) == "it stopped");
  }
}

TEST_CASE("what a node is told comes before messages, and needs no window") {
  const auto node = started(node_id(1, 0));
  send(*node, {{{node->id(), kActor, 0}}, "message"});
  node->tell(kActor, "!news", 42, "told");
  const Frame told = take(*node, kActor);
  CHECK(method_of(told) == "!news");
  CHECK(told.header.source_node == 42);
  CHECK(data_of(take(*node, kActor)) == "message");
}

TEST_CASE("another process does not speak for the node to its agent") {
  Host host;
  const auto made =
      call(*host.one,
           {{{host.two->id(), eclosion::kAgent, 0}}, "", {}, {}, 1, "!lost"});
  CHECK(status_of(replies(*made).at(0)) == ReplyStatus::kFailed);
  Impostor peer(*host.gateway, node_id(1, 5));
  Frame frame;
  frame.header.kind = eclosion::FrameKind::kRequest;
  frame.header.source_node = node_id(1, 5);
  frame.header.target_node = host.gateway->id();
  frame.header.target_actor = kActor;
  frame.header.flags = eclosion::kOfNode;
  frame.body = make_body(frame.header, "method", {}, "", {});
  peer.write(frame);
  CHECK(take(*host.gateway, kActor).header.flags == 0);
}

TEST_CASE("a message over the limit of its receivers is not sent") {
  auto small = settings(node_id(1, 0));
  small.max_frame = 10'000;
  const auto node = started(small);
  const std::vector<Target> targets{{node->id(), kActor, 0}};
  CHECK_THROWS_AS(prepare(*node, {targets, std::string(10'001, 'x')}),
                  std::length_error);
  const auto made = call(*node, {targets, "x"});
  const Frame request = take(*node, kActor);
  CHECK_THROWS_AS(answer(*node, request, std::string(10'001, 'x')),
                  std::length_error);
  answer(*node, request, "short");
  CHECK(data_of(replies(*made).at(0)) == "short");
}
