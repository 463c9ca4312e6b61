// core/node: hosts that meet: who is let in, what the agents are told, and what
// waited for a way.
#include <doctest/doctest.h>

#include <cstdio>
#include <thread>

#include "hosts.h"

using namespace nodes;
using namespace hosts;

namespace {

constexpr ActorId kActor = 7;

std::string hex(NodeId node) {
  char text[20];
  std::snprintf(text, sizeof(text), "%llx",
                static_cast<unsigned long long>(node));
  return text;
}

Frame request(NodeId from, NodeId to, std::string_view data) {
  Frame frame;
  frame.header.kind = eclosion::FrameKind::kRequest;
  frame.header.source_node = from;
  frame.header.target_node = to;
  frame.header.target_actor = kActor;
  frame.body = make_body(frame.header, "method", {}, data, {});
  return frame;
}

}  // namespace

TEST_CASE("two hosts that prove themselves know each other, and talk") {
  for (const auto& [one, other] : all_credentials()) {
    Host host(node_id(2, 0), other);
    const auto node = started(node_id(1, 0));
    const int fd = connecting(host.address);
    const std::string address = address_text(fd);
    node->dial(fd, one, host.node->id(), "over there", kPatience);
    CHECK((next(*node) == News{"!dialed", host.node->id(), "over there"}));
    CHECK((next(*host.node) == News{"!arrived", node->id(), address}));
    // Memory that is shared on one host goes along as bytes.
    const std::string large(3 << 20, 'l');
    const auto made =
        call(*node, {{{host.node->id(), kActor, 0}}, "x", {large}});
    const Frame got = take(*host.node, kActor);
    CHECK((buffer_of(got, 0) == large));
    OutgoingBuffer back;
    back.memory = large.data();
    back.size = large.size();
    host.node->reply(got.header, ReplyStatus::kOk, "y", {back});
    const Frame reply = replies(*made).at(0);
    CHECK(data_of(reply) == "y");
    CHECK((buffer_of(reply, 0) == large));
    send(*host.node, {{{node->id(), kActor, 0}}, "back"});
    CHECK(data_of(take(*node, kActor)) == "back");
  }
}

TEST_CASE("a host with another secret is refused, and both are told") {
  Host host(node_id(2, 0));
  const auto node = started(node_id(1, 0));
  const int fd = connecting(host.address);
  const std::string address = address_text(fd);
  node->dial(fd, credentials(kOtherSecret), 0, "label", kPatience);
  CHECK((next(*node) ==
         News{"!undialed", 0,
              "label\nrefused\nthe peer refused this node: it holds another "
              "shared secret; start both with the same one"}));
  const News refused = next(*host.node);
  CHECK(refused.what == "!refused");
  CHECK(line_of(refused.words, 0) == address);
  CHECK(line_of(refused.words, 1).find("does not know the shared secret") !=
        std::string::npos);
  // It is no way: the agent is asked for one.
  send(*node, {{{host.node->id(), kActor, 0}}, "x"});
  CHECK(next(*node).what == "!unrouted");
  // Who comes next is served as if nothing had been.
  const auto well = started(node_id(3, 0));
  dial(*well, host);
  CHECK(next(*well).what == "!dialed");
  CHECK(next(*host.node).what == "!arrived");
}

TEST_CASE("another host than the one that is expected is not taken for it") {
  Host host(node_id(2, 0));
  const auto node = started(node_id(1, 0));
  dial(*node, host, credentials(kSecret), node_id(3, 0));
  const News undialed = next(*node);
  CHECK(undialed.what == "!undialed");
  CHECK(line_of(undialed.words, 2) == "host " + hex(host.node->id()) +
                                          " is at this address, not " +
                                          hex(node_id(3, 0)));
  CHECK(next(*host.node).what == "!arrived");
  CHECK(next(*host.node).what == "!lost");
}

TEST_CASE("only the gateway of another host is let in") {
  Host host(node_id(2, 0));
  NodeId id = 0;
  SUBCASE("not a process of this host") { id = node_id(2, 5); }
  SUBCASE("not a process of another") { id = node_id(3, 5); }
  const auto node = started(id);
  const std::string why = "the peer says that it is " + hex(id) +
                          ", which is no gateway of another host";
  dial(*node, host);
  const News refused = next(*host.node);
  CHECK(refused.what == "!refused");
  CHECK(line_of(refused.words, 1) == why);
  // Nor is it taken for one that is dialed.
  Host liar(id == node_id(2, 5) ? node_id(2, 6) : node_id(4, 6));
  dial(*host.node, liar, credentials(kSecret), liar.node->id());
  const News undialed = next(*host.node);
  CHECK(undialed.what == "!undialed");
  CHECK(line_of(undialed.words, 2).ends_with("no gateway of another host"));
}

TEST_CASE("a host does not take another for itself") {
  Host host(node_id(2, 0));
  const auto node = started(host.node->id());
  dial(*node, host);
  CHECK(line_of(next(*node).words, 1) == "refused");
  const News refused = next(*host.node);
  CHECK(refused.what == "!refused");
  CHECK(
      line_of(refused.words, 1).starts_with("the peer was refused: it calls"));
}

TEST_CASE("a host that has been given up stays out, whoever dials") {
  Host host(node_id(2, 0));
  Host other(node_id(1, 0));
  const std::string why =
      "host " + hex(other.node->id()) + " has been given up";
  host.node->bury_host(other.node->id(), "gone");
  CHECK((next(*host.node) == News{"!obituary", other.node->id(), "gone"}));
  dial(*other.node, host);
  const News refused = next(*host.node);
  CHECK(refused.what == "!refused");
  CHECK(line_of(refused.words, 1) == why);
  dial(*host.node, other);
  const News undialed = next(*host.node);
  CHECK(undialed.what == "!undialed");
  CHECK(line_of(undialed.words, 2) == why);
  const auto made = call(*host.node, {{{other.node->id(), kActor, 0}}, "x"});
  CHECK(data_of(replies(*made).at(0)) == "gone");
}

TEST_CASE("where nobody listens, or says a word, trying again is of use") {
  const auto node = started(node_id(1, 0));
  const int listener = listening();
  node->dial(connecting(own_address(listener)), credentials(kSecret), 0, "one",
             std::chrono::milliseconds(50));
  CHECK((next(*node) ==
         News{"!undialed", 0,
              "one\nagain\nthe peer did not prove itself within 0.05 s"}));
  const sockaddr_in address = own_address(listener);
  ::close(listener);
  node->dial(connecting(address), credentials(kSecret), 0, "two", kPatience);
  CHECK(
      (next(*node) ==
       News{"!undialed", 0, "two\nagain\ncannot connect: Connection refused"}));
}

TEST_CASE("what waited for a host goes in order once it is dialed") {
  for (const auto& [one, other] : all_credentials()) {
    Host host(node_id(2, 0), other);
    const auto worker = started(node_id(2, 1));
    link(*host.node, *worker);
    const auto node = started(node_id(1, 0));
    // Some before there is a way, some while it opens, some after.
    Stream stream(*node,
                  {{host.node->id(), kActor, 0}, {worker->id(), kActor, 1}});
    CHECK((next(*node) == News{"!unrouted", host.node->id(), ""}));
    REQUIRE(stream.is_under_way());
    dial(*node, host, one, host.node->id());
    CHECK(next(*node).what == "!dialed");
    stream.end();
    CHECK(stream.arrives_at({host.node.get(), worker.get()}, kActor));
    // The agent was asked once.
    CHECK(no_news(*node));
  }
}

TEST_CASE("what waits for the one that dials goes when it has arrived") {
  Host host(node_id(2, 0));
  const auto node = started(node_id(1, 0));
  for (int i = 0; i < 3; ++i)
    send(*host.node, {{{node->id(), kActor, 0}}, std::to_string(i)});
  CHECK(next(*host.node).what == "!unrouted");
  dial(*node, host);
  for (int i = 0; i < 3; ++i)
    CHECK(data_of(take(*node, kActor)) == std::to_string(i));
}

TEST_CASE("what a host says is sealed if it can be, from the first word on") {
  for (const auto& [one, other] : all_credentials()) {
    const auto node = started(node_id(1, 0));
    const int listener = listening();
    node->dial(connecting(own_address(listener)), one, 0, "label", kPatience);
    Peer peer(accepted(listener));
    auto acceptor = channel(Role::kAcceptor, node_id(2, 0), other);
    // Right behind the proof, and later.
    let_in(peer, acceptor, [&] {
      return acceptor.seal(wire(request(node_id(2, 0), node->id(), "first")));
    });
    CHECK(data_of(take(*node, kActor)) == "first");
    peer.write(
        acceptor.seal(wire(request(node_id(2, 0), node->id(), "second"))));
    CHECK(data_of(take(*node, kActor)) == "second");
    send(*node, {{{node_id(2, 0), kActor, 0}}, "hidden words"});
    std::string sent;
    std::string heard;
    while (heard.find("hidden words") == std::string::npos) {
      const Data bytes = peer.read();
      REQUIRE_FALSE(bytes.empty());
      sent += text_of(bytes);
      heard += text_of(acceptor.feed(bytes).plain);
    }
    CHECK((sent.find("hidden words") == std::string::npos) == acceptor.seals());
    ::close(listener);
  }
}

TEST_CASE("hosts that dial each other at once lose and mix nothing") {
  for (int round = 0; round < 10; ++round) {
    Host one(node_id(1, 0));
    Host other(node_id(2, 0));
    std::thread sender([&] {
      for (int i = 0; i < 100; ++i)
        send(*one.node, {{{other.node->id(), kActor, 0}}, std::to_string(i)});
    });
    dial(*one.node, other, credentials(kSecret), other.node->id());
    dial(*other.node, one, credentials(kSecret), one.node->id());
    for (int i = 0; i < 100; ++i) {
      send(*other.node, {{{one.node->id(), kActor, 0}}, std::to_string(i)});
      CHECK(data_of(take(*other.node, kActor)) == std::to_string(i));
      CHECK(data_of(take(*one.node, kActor)) == std::to_string(i));
    }
    sender.join();
    for (Host* host : {&one, &other}) {
      news(*host->node, "!arrived");
    }
  }
}
