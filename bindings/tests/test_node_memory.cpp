// core/node: shared memory is released exactly once, wherever a message went.
#include <doctest/doctest.h>
#include <sys/mman.h>

#include <cstring>
#include <set>

#include "nodes.h"

using namespace nodes;
using eclosion::BufferRow;
using eclosion::FrameKind;

namespace {

constexpr ActorId kActor = 7;
constexpr std::uint64_t kLimit = 8 << 20;

NodeSettings small(NodeId id) {
  NodeSettings limited = settings(id);
  limited.shared_memory_threshold = 1000;
  limited.shared_memory_limit = kLimit;
  return limited;
}

// Two hosts: gateways joined by a socket that passes no descriptors.
struct Hosts {
  std::unique_ptr<Node> gateway = started(small(node_id(1, 0)));
  std::unique_ptr<Node> one = started(small(node_id(1, 1)));
  std::unique_ptr<Node> two = started(small(node_id(1, 2)));
  std::unique_ptr<Node> far_gateway = started(small(node_id(2, 0)));
  std::unique_ptr<Node> far_one = started(small(node_id(2, 1)));
  std::unique_ptr<Node> far_two = started(small(node_id(2, 2)));
  Hosts() {
    link(*gateway, *one);
    link(*gateway, *two);
    link(*gateway, *far_gateway, false);
    link(*far_gateway, *far_one);
    link(*far_gateway, *far_two);
  }
};

std::string large(char fill) { return std::string(300'000, fill); }

void check(Node& node, bool shared, char fill) {
  const Frame message = take(node, kActor);
  CHECK((message.segment != nullptr) == shared);
  CHECK(buffer_of(message, 0) == large(fill));
  CHECK(buffer_of(message, 1) == "little");
  node.release(message);
}

Frame lying_frame(NodeId from, NodeId to, const BufferRow& row) {
  Frame frame;
  frame.header.kind = FrameKind::kRequest;
  frame.header.source_node = from;
  frame.header.target_node = to;
  frame.header.target_actor = kActor;
  frame.header.request = 77;
  frame.header.segment = 5;
  eclosion::OutgoingBuffer buffer;
  buffer.size = row.size;
  buffer.offset = row.offset;
  buffer.shared = true;
  frame.body = make_body(frame.header, "m", {}, "d", {&buffer, 1});
  return frame;
}

}  // namespace

TEST_CASE("a large buffer is shared on one host and flattened for another") {
  Hosts hosts;
  for (const NodeId sender : {hosts.one->id(), hosts.gateway->id()}) {
    Node& from = sender == hosts.one->id() ? *hosts.one : *hosts.gateway;
    const std::string data = large('a');
    for (int round = 0; round < 20; ++round) {
      send(from, {{{hosts.two->id(), kActor, 0},
                   {hosts.far_one->id(), kActor, 1},
                   {hosts.far_two->id(), kActor, 2},
                   {hosts.far_gateway->id(), kActor, 3}},
                  "x",
                  {data, "little"}});
      check(*hosts.two, true, 'a');
      check(*hosts.far_one, false, 'a');
      check(*hosts.far_two, false, 'a');
      check(*hosts.far_gateway, false, 'a');
    }
    CHECK(all_is_free(from));
  }
}

TEST_CASE("a message to one actor of another host is flattened on its way") {
  Hosts hosts;
  const std::string data = large('b');
  send(*hosts.one, {{{hosts.far_one->id(), kActor, 0}}, "x", {data, "little"}});
  check(*hosts.far_one, false, 'b');
  CHECK(all_is_free(*hosts.one));
}

TEST_CASE("a message that waits for another host keeps its memory") {
  const auto gateway = started(small(node_id(1, 0)));
  const auto one = started(small(node_id(1, 1)));
  const auto far_gateway = started(small(node_id(2, 0)));
  link(*gateway, *one);
  const std::string first = large('c');
  send(*gateway, {{{one->id(), kActor, 0}, {far_gateway->id(), kActor, 1}},
                  "x",
                  {first, "little"}});
  check(*one, true, 'c');
  // Its only reader so far has released it, and more is sent.
  const std::string next = large('d');
  send(*gateway, {{{one->id(), kActor, 0}}, "y", {next, "little"}});
  check(*one, true, 'd');
  link(*gateway, *far_gateway, false);
  check(*far_gateway, false, 'c');
  CHECK(all_is_free(*gateway));
}

TEST_CASE("memory of messages to the dead is free again") {
  Hosts hosts;
  const std::string data = large('e');
  hosts.gateway->bury(node_id(1, 9), "dead");
  hosts.gateway->bury_host(node_id(3, 0), "away");
  const auto made = call(*hosts.one, {{{node_id(1, 9), kActor, 0},
                                       {node_id(3, 1), kActor, 1},
                                       {node_id(3, 2), kActor, 2},
                                       {hosts.far_one->id(), kActor, 3},
                                       {hosts.two->id(), kActor, 4}},
                                      "x",
                                      {data, "little"}});
  check(*hosts.two, true, 'e');
  check(*hosts.far_one, false, 'e');
  std::set<std::string> why;
  REQUIRE(wait_for(made->gate(), [&] {
    while (auto reply = made->next()) why.insert(data_of(*reply));
    return why.size() == 2;
  }));
  CHECK(why == std::set<std::string>{"dead", "away"});
  CHECK(all_is_free(*hosts.one));
}

TEST_CASE("memory of replies that nobody takes is free again") {
  Hosts hosts;
  const std::string data = large('f');
  eclosion::OutgoingBuffer buffer;
  buffer.memory = data.data();
  buffer.size = data.size();
  const std::vector<Target> targets{{hosts.two->id(), kActor, 0}};
  const auto untaken = call(*hosts.one, {targets, "untaken"});
  const auto given_up = call(*hosts.one, {targets, "given up"});
  const Frame first = take(*hosts.two, kActor);
  const Frame second = take(*hosts.two, kActor);
  hosts.one->forget_call(given_up->id());
  hosts.two->reply(second.header, ReplyStatus::kOk, "late", {buffer});
  hosts.two->reply(first.header, ReplyStatus::kOk, "once", {buffer});
  hosts.two->reply(first.header, ReplyStatus::kOk, "twice", {buffer});
  REQUIRE(wait_for(untaken->gate(), [&] { return untaken->settled(); }));
  CHECK_FALSE(given_up->settled());
  hosts.one->forget_call(untaken->id());
  CHECK(all_is_free(*hosts.two));
}

TEST_CASE("memory of messages in a mailbox that closes is free again") {
  Hosts hosts;
  const std::string data = large('g');
  for (int i = 0; i < 3; ++i)
    send(*hosts.one, {{{hosts.two->id(), kActor, 0}}, "x", {data}});
  const auto mailbox = hosts.two->mailbox(kActor);
  REQUIRE(wait_for(mailbox->gate(), [&] { return mailbox->size() == 3; }));
  hosts.two->close_mailbox(kActor, "stopped");
  CHECK(all_is_free(*hosts.one));
}

TEST_CASE("a reply is inline when shared memory is full") {
  Hosts hosts;
  const auto all = hosts.two->segments().try_lease(kLimit);
  REQUIRE(all.memory != nullptr);
  const auto made = call(*hosts.one, {{{hosts.two->id(), kActor, 0}}, "x"});
  const std::string data = large('h');
  eclosion::OutgoingBuffer buffer;
  buffer.memory = data.data();
  buffer.size = data.size();
  hosts.two->reply(take(*hosts.two, kActor).header, ReplyStatus::kOk, "r",
                   {buffer});
  const Frame reply = replies(*made).at(0);
  CHECK(reply.segment == nullptr);
  CHECK(buffer_of(reply, 0) == data);
}

TEST_CASE("a relay refuses sizes that the segment does not have") {
  Hosts hosts;
  constexpr std::uint64_t kHuge = ~0ULL - 63;
  Impostor peer(*hosts.gateway, node_id(1, 5));
  const int segment = ::memfd_create("test", MFD_CLOEXEC);
  REQUIRE(::ftruncate(segment, 4096) == 0);
  for (const BufferRow& row :
       {BufferRow{kHuge, 0, 1, 0}, BufferRow{8192, 0, 1, 0},
        BufferRow{64, kHuge, 1, 0}, BufferRow{4096, 64, 1, 0}}) {
    peer.write(lying_frame(node_id(1, 5), hosts.far_one->id(), row), segment);
    // It is told so: its request failed, and its segment is released.
    std::set<FrameKind> kinds;
    while (kinds.size() < 3) {
      eclosion::FrameHeader header;
      REQUIRE(::recv(peer.fd(), &header, sizeof(header), MSG_WAITALL) ==
              sizeof(header));
      std::string body(header.body_length, '\0');
      if (!body.empty())
        REQUIRE(::recv(peer.fd(), body.data(), body.size(), MSG_WAITALL) > 0);
      if (header.kind == FrameKind::kHeartbeat) continue;
      kinds.insert(header.kind);
      if (header.kind == FrameKind::kReply) CHECK(header.request == 77);
      if (header.kind == FrameKind::kRelease) CHECK(header.request == 5);
    }
    CHECK(kinds ==
          std::set{FrameKind::kReply, FrameKind::kRelease, FrameKind::kCredit});
  }
  ::close(segment);
  // The gateway lives.
  send(*hosts.one, {{{hosts.far_one->id(), kActor, 0}}, "well"});
  CHECK(data_of(take(*hosts.far_one, kActor)) == "well");
}

TEST_CASE("bytes in shared memory count for who is on another host") {
  const auto one = started(node_id(1, 0));
  NodeSettings small = settings(node_id(2, 0));
  small.mailbox_bytes = 8 << 20;
  const auto far = started(small);
  small.id = node_id(1, 1);
  const auto sender = started(small);
  link(*one, *sender);
  link(*one, *far, false);
  const std::string large(1 << 20, 'L');
  const Message message{{{far->id(), 7, 0}}, "", {large}};
  int sent = 0;
  for (; sent < 20; ++sent) {
    const auto prepared = prepare(*sender, message);
    if (!sender->try_send(*prepared, nullptr)) break;
  }
  CHECK(sent < 9);
  // As much is given back as was counted.
  for (int i = 0; i < 3 * sent; ++i) {
    const Frame got = take(*far, 7);
    CHECK(buffer_of(got, 0).size() == large.size());
    send(*sender, message);
  }
}

TEST_CASE("without shared memory large messages go through sockets") {
  NodeSettings chosen = settings(node_id(1, 1));
  chosen.shared_memory_limit = 0;
  const auto gateway = started(node_id(1, 0));
  const auto sender = started(chosen);
  link(*gateway, *sender);
  const std::string large(1 << 20, 'L');
  for (int i = 0; i < 3; ++i)
    send(*sender, {{{gateway->id(), 7, 0}}, "", {large}});
  for (int i = 0; i < 3; ++i) {
    const Frame got = take(*gateway, 7);
    CHECK_FALSE(got.segment);
    CHECK(buffer_of(got, 0) == large);
  }
}
