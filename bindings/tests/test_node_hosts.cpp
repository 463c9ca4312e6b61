// core/node: hosts that meet: who is let in, what the agents are told, and what
// waited for a way.
#include <doctest/doctest.h>

#include <cstdio>
#include <thread>

#include "hosts.h"
#include "nodes.h"

using namespace nodes;
using hosts::address_text;
using hosts::all_credentials;
using hosts::credentials;
using hosts::kOtherSecret;
using hosts::kSecret;
using hosts::own_address;
using hosts::Peer;

namespace {

constexpr ActorId kActor = 7;

std::string hex(NodeId node) {
  char text[20];
  std::snprintf(text, sizeof(text), "%llx",
                static_cast<unsigned long long>(node));
  return text;
}

// A node where others come in.
struct Host {
  std::unique_ptr<Node> node;
  int listener = hosts::listening();
  sockaddr_in address = own_address(listener);

  explicit Host(NodeId id, const hosts::Credentials& by = credentials(kSecret),
                Clock::duration at_most = kPatience)
      : node(started(id)) {
    node->welcome(listener, by, at_most);
  }
};

void dial(Node& node, const Host& to,
          const hosts::Credentials& by = credentials(kSecret),
          NodeId expected = 0, const std::string& label = "label") {
  node.dial(hosts::connecting(to.address), by, expected, label, kPatience);
}

// What the agent is told first: who it is about, what, and the words.
struct News {
  std::string what;
  NodeId about;
  std::string words;
  bool operator==(const News&) const = default;
};
News next(Node& node) {
  const Frame frame = take(node, eclosion::kAgent);
  return {method_of(frame), frame.header.source_node, data_of(frame)};
}
bool no_news(Node& node) { return node.mailbox(eclosion::kAgent)->size() == 0; }

std::string line_of(const std::string& words, std::size_t number) {
  std::size_t start = 0;
  while (number-- > 0) start = words.find('\n', start) + 1;
  return words.substr(start, words.find('\n', start) - start);
}

}  // namespace

TEST_CASE("two hosts that prove themselves know each other, and talk") {
  for (const auto& [one, other] : all_credentials()) {
    Host host(node_id(2, 0), other);
    const auto node = started(node_id(1, 0));
    const int fd = hosts::connecting(host.address);
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
  const int fd = hosts::connecting(host.address);
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
  const int listener = hosts::listening();
  node->dial(hosts::connecting(own_address(listener)), credentials(kSecret), 0,
             "one", std::chrono::milliseconds(50));
  CHECK((next(*node) ==
         News{"!undialed", 0,
              "one\nagain\nthe peer did not prove itself within 0.05 s"}));
  const sockaddr_in address = own_address(listener);
  ::close(listener);
  node->dial(hosts::connecting(address), credentials(kSecret), 0, "two",
             kPatience);
  CHECK(
      (next(*node) ==
       News{"!undialed", 0, "two\nagain\ncannot connect: Connection refused"}));
}

TEST_CASE("a stranger that says nothing is cut off, and told of") {
  Host host(node_id(2, 0), credentials(kSecret), std::chrono::milliseconds(50));
  Peer stranger(hosts::connected(host.address));
  const std::string address = address_text(stranger.fd());
  CHECK(stranger.read_to_end().empty());
  CHECK((next(*host.node) ==
         News{"!refused", 0,
              address + "\nthe peer did not prove itself within 0.05 s"}));
}

TEST_CASE("of too many strangers the oldest goes, and the newest is heard") {
  constexpr std::size_t kMost = 64;
  Host host(node_id(2, 0));
  // Whom the host dials itself is no stranger, and waits however many come.
  const int silent = hosts::listening();
  host.node->dial(hosts::connecting(own_address(silent)), credentials(kSecret),
                  0, "label", kPatience);
  std::vector<Peer> strangers;
  for (std::size_t i = 0; i < kMost; ++i)
    strangers.emplace_back(hosts::connected(host.address));
  const std::string oldest = address_text(strangers[0].fd());
  const std::string second = address_text(strangers[1].fd());
  strangers.emplace_back(hosts::connected(host.address));
  CHECK((next(*host.node) ==
         News{"!refused", 0, oldest + "\ntoo many others came after it"}));
  CHECK(strangers[0].read_to_end().empty());
  for (std::size_t i = 1; i < strangers.size(); ++i)
    CHECK(strangers[i].is_open());
  const auto node = started(node_id(1, 0));
  dial(*node, host);
  CHECK(next(*node).what == "!dialed");
  CHECK((next(*host.node) ==
         News{"!refused", 0, second + "\ntoo many others came after it"}));
  CHECK(next(*host.node).what == "!arrived");
  // Who has arrived takes no place: there is one for another.
  Peer last(hosts::connected(host.address));
  const std::string address = address_text(last.fd());
  last.close();
  CHECK(
      (next(*host.node) ==
       News{"!refused", 0,
            address + "\nthe peer closed the connection before it said who it "
                      "is"}));
  CHECK(strangers[2].is_open());
  ::close(silent);
}

TEST_CASE("garbage ends its own connection alone") {
  Host host(node_id(2, 0));
  const auto node = started(node_id(1, 0));
  dial(*node, host);
  CHECK(next(*host.node).what == "!arrived");
  Peer stranger(hosts::connected(host.address));
  stranger.write(hosts::bytes_of("GET / HTTP/1.1\r\n\r\n"));
  CHECK(stranger.read_to_end().empty());
  CHECK(next(*host.node).what == "!refused");
  send(*node, {{{host.node->id(), kActor, 0}}, "still"});
  CHECK(data_of(take(*host.node, kActor)) == "still");
}

TEST_CASE("what waited for a host goes in order once it is dialed") {
  constexpr int kMessages = 300;
  for (const auto& [one, other] : all_credentials()) {
    Host host(node_id(2, 0), other);
    const auto worker = started(node_id(2, 1));
    link(*host.node, *worker);
    const auto node = started(node_id(1, 0));
    const std::vector<Target> targets{{host.node->id(), kActor, 0},
                                      {worker->id(), kActor, 1}};
    // Some before there is a way, some while it opens, some after.
    std::thread sender([&] {
      for (int i = 0; i < kMessages; ++i)
        send(*node, {targets, std::to_string(i)});
    });
    CHECK((next(*node) == News{"!unrouted", host.node->id(), ""}));
    dial(*node, host, one, host.node->id());
    for (int i = 0; i < kMessages; ++i) {
      CHECK(data_of(take(*host.node, kActor)) == std::to_string(i));
      CHECK(data_of(take(*worker, kActor)) == std::to_string(i));
    }
    sender.join();
    // The agent was asked once.
    CHECK(next(*node).what == "!dialed");
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

TEST_CASE("a message that comes right behind the proof is heard") {
  for (const auto& [one, other] : all_credentials()) {
    const auto node = started(node_id(1, 0));
    const int listener = hosts::listening();
    node->dial(hosts::connecting(own_address(listener)), one, 0, "label",
               kPatience);
    Peer peer(hosts::accepted(listener));
    auto channel = hosts::channel(hosts::Role::kAcceptor, node_id(2, 0), other);
    Frame frame;
    frame.header.kind = eclosion::FrameKind::kRequest;
    frame.header.source_node = node_id(2, 0);
    frame.header.target_node = node->id();
    frame.header.target_actor = kActor;
    frame.body = make_body(frame.header, "method", {}, "first", {});
    hosts::let_in(peer, channel,
                  [&] { return channel.seal(hosts::wire(frame)); });
    CHECK(data_of(take(*node, kActor)) == "first");
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

TEST_CASE("a node that stops in the middle of greetings ends them") {
  const int silent = hosts::listening();
  Host host(node_id(2, 0));
  host.node->dial(hosts::connecting(own_address(silent)), credentials(kSecret),
                  0, "label", kPatience);
  Peer stranger(hosts::connected(host.address));
  host.node->loop().run_and_wait([] {}, kPatience);
  host.node->stop();
  host.node.reset();
  CHECK(stranger.read_to_end().empty());
  ::close(silent);
}
