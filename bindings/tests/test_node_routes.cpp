// core/node: ways: siblings, gateways, what waits for a way, who lies.
#include <doctest/doctest.h>

#include "hosts.h"

using namespace nodes;
using eclosion::FrameHeader;
using eclosion::FrameKind;

namespace {

constexpr ActorId kActor = 7;

Frame request(NodeId from, NodeId to, std::string_view data) {
  Frame frame;
  frame.header.kind = FrameKind::kRequest;
  frame.header.source_node = from;
  frame.header.target_node = to;
  frame.header.target_actor = kActor;
  frame.body = make_body(frame.header, "method", {}, data, {});
  return frame;
}

// Whether the node closed the connection.
bool is_closed(Impostor& peer) {
  std::array<char, 4096> bytes;
  ssize_t got;
  do got = ::recv(peer.fd(), bytes.data(), bytes.size(), 0);
  while (got > 0);
  return true;
}

}  // namespace

TEST_CASE("siblings talk directly when the one listens") {
  const auto one = started(node_id(1, 1));
  const auto two = started(node_id(1, 2));
  two->listen(listener(two->id()));
  // There is no gateway at all.
  const auto made = call(*one, {{{two->id(), kActor, 0}}, "x"});
  answer(*two, take(*two, kActor), "direct");
  CHECK(data_of(replies(*made).at(0)) == "direct");
}

TEST_CASE("a sibling that cannot be dialed is reached by the gateway") {
  const auto gateway = started(node_id(1, 0));
  const auto one = started(node_id(1, 1));
  const auto two = started(node_id(1, 2));
  link(*gateway, *one);
  link(*gateway, *two);
  SUBCASE("because it does not listen") {}
  SUBCASE("because its queue is full") {
    // Nobody accepts: a connect that waits would wait for ever.
    const int full = listener(two->id());
    std::vector<int> waiting;
    sockaddr_un address{};
    socklen_t length = sizeof(address);
    REQUIRE(::getsockname(full, reinterpret_cast<sockaddr*>(&address),
                          &length) == 0);
    while (true) {
      const int fd =
          ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      waiting.push_back(fd);
      if (::connect(fd, reinterpret_cast<sockaddr*>(&address), length) != 0)
        break;
    }
    send(*one, {{{two->id(), kActor, 0}}, "x"});
    for (const int fd : waiting) ::close(fd);
    ::close(full);
    CHECK(data_of(take(*two, kActor)) == "x");
  }
  const auto made = call(*one, {{{two->id(), kActor, 0}}, "x"});
  answer(*two, take(*two, kActor), "relayed");
  CHECK(data_of(replies(*made).at(0)) == "relayed");
}

TEST_CASE("what is sent before a process has been adopted comes first") {
  for (int round = 0; round < 20; ++round) {
    const auto gateway = started(node_id(1, 0));
    const auto worker = started(node_id(1, 1));
    hosts::Stream stream(*gateway, {{worker->id(), kActor, 0}});
    CHECK(news(*gateway, "!unrouted").header.source_node == worker->id());
    REQUIRE(stream.is_under_way());
    link(*gateway, *worker);
    stream.end();
    CHECK(stream.arrives_at({worker.get()}, kActor));
    CHECK(gateway->mailbox(eclosion::kAgent)->size() == 0);
  }
}

TEST_CASE("what was held is written though the socket was full at once") {
  const auto gateway = started(node_id(1, 0));
  const auto worker = started(node_id(1, 1));
  for (int i = 0; i < 40; ++i)
    send(*gateway,
         {{{worker->id(), kActor, 0}}, std::string(500'000, 'a' + i % 26)});
  link(*gateway, *worker);
  for (int i = 0; i < 40; ++i)
    CHECK(data_of(take(*worker, kActor)).at(499'999) == 'a' + i % 26);
}

TEST_CASE("the agent is asked once for the way to a host") {
  const auto gateway = started(node_id(1, 0));
  const auto worker = started(node_id(1, 1));
  const auto far_gateway = started(node_id(2, 0));
  const auto far_worker = started(node_id(2, 1));
  link(*gateway, *worker);
  link(*far_gateway, *far_worker);
  const std::vector<Target> targets{{far_worker->id(), kActor, 0},
                                    {far_gateway->id(), kActor, 1}};
  for (int i = 0; i < 10; ++i) send(*worker, {targets, std::to_string(i)});
  CHECK(news(*gateway, "!unrouted").header.source_node == far_gateway->id());
  link(*gateway, *far_gateway, false);
  for (int i = 0; i < 10; ++i) {
    CHECK(data_of(take(*far_worker, kActor)) == std::to_string(i));
    CHECK(data_of(take(*far_gateway, kActor)) == std::to_string(i));
  }
  CHECK(gateway->mailbox(eclosion::kAgent)->size() == 0);
}

TEST_CASE("a connection that breaks the format is closed, others stay") {
  const auto gateway = started(node_id(1, 0));
  Impostor good(*gateway, node_id(1, 2));
  Impostor bad(*gateway, node_id(1, 1));
  Frame frame = request(node_id(1, 1), gateway->id(), "x");
  SUBCASE("magic") { frame.header.magic = 1; }
  SUBCASE("kind") { frame.header.kind = static_cast<FrameKind>(99); }
  SUBCASE("length") { frame.header.body_length = ~0ULL; }
  SUBCASE("targets of a request") { frame.header.target_count = 3; }
  SUBCASE("a cast of more targets than it has") {
    frame.header.kind = FrameKind::kCast;
    frame.header.target_count = ~0U;
  }
  SUBCASE("a segment without its descriptor") { frame.header.segment = 9; }
  SUBCASE("a hello of somebody else") {
    frame.header.kind = FrameKind::kHello;
    frame.header.source_node = node_id(1, 3);
  }
  SUBCASE("an obituary that is longer than its frame") {
    frame.header.kind = FrameKind::kObituary;
    frame.header.data_length = ~0ULL;
  }
  bad.write(frame);
  CHECK(is_closed(bad));
  CHECK(news(*gateway, "!lost").header.source_node == node_id(1, 1));
  good.write(request(node_id(1, 2), gateway->id(), "good"));
  CHECK(data_of(take(*gateway, kActor)) == "good");
}

TEST_CASE("a body that lies is refused to its sender, whoever relayed it") {
  const auto gateway = started(node_id(1, 0));
  const auto worker = started(node_id(1, 1));
  link(*gateway, *worker);
  Impostor bad(*gateway, node_id(1, 2));
  Frame frame = request(node_id(1, 2), worker->id(), "x");
  frame.header.request = 5;
  SUBCASE("method") { frame.header.method_length = 0xffff; }
  SUBCASE("chain") { frame.header.chain_length = ~0U; }
  SUBCASE("buffers") { frame.header.buffer_count = ~0U; }
  SUBCASE("data") { frame.header.data_length = ~0ULL; }
  bad.write(frame);
  FrameHeader header;
  do {
    REQUIRE(::recv(bad.fd(), &header, sizeof(header), MSG_WAITALL) ==
            sizeof(header));
    std::string body(header.body_length, '\0');
    if (!body.empty())
      REQUIRE(::recv(bad.fd(), body.data(), body.size(), MSG_WAITALL) > 0);
  } while (header.kind != FrameKind::kReply);
  CHECK(header.request == 5);
  CHECK(static_cast<ReplyStatus>(header.flags) == ReplyStatus::kFailed);
  CHECK(worker->mailbox(kActor)->size() == 0);
  send(*gateway, {{{worker->id(), kActor, 0}}, "well"});
  CHECK(data_of(take(*worker, kActor)) == "well");
}

TEST_CASE("a reply that lies fails the call") {
  const auto gateway = started(node_id(1, 0));
  Impostor bad(*gateway, node_id(1, 1));
  const auto made = call(*gateway, {{{node_id(1, 1), kActor, 0}}, "x"});
  Frame frame = request(node_id(1, 1), gateway->id(), "x");
  frame.header.kind = FrameKind::kReply;
  frame.header.request = made->id();
  frame.header.buffer_count = ~0U;
  bad.write(frame);
  CHECK(status_of(replies(*made).at(0)) == ReplyStatus::kFailed);
}

TEST_CASE("a stranger that does not introduce itself is not heard") {
  const auto worker = started(node_id(1, 1));
  Impostor stranger(*worker, 0);
  SUBCASE("a message") {
    stranger.write(request(node_id(1, 2), worker->id(), "x"));
  }
  SUBCASE("a hello of nobody") {
    Frame hello;
    stranger.write(hello);
  }
  SUBCASE("a hello of the node itself") {
    Frame hello;
    hello.header.source_node = worker->id();
    stranger.write(hello);
  }
  CHECK(is_closed(stranger));
  CHECK(worker->mailbox(kActor)->size() == 0);
}

TEST_CASE("a descriptor that cannot be watched is refused, and closed") {
  const auto node = started(node_id(1, 0));
  CHECK_THROWS_AS(
      node->adopt(::open("/dev/null", O_RDONLY | O_CLOEXEC), 5, true),
      std::system_error);
}
