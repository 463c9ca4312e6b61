// core/node: messages for many hosts go by other hosts, and nothing is lost,
// doubled or overtaken.
#include <doctest/doctest.h>
#include <sys/socket.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>

#include "cast.h"
#include "nodes.h"

using namespace nodes;
using eclosion::Branch;
using eclosion::FrameHeader;
using eclosion::FrameKind;

namespace {

constexpr ActorId kActor = 7;

std::unique_ptr<Node> gateway(std::uint32_t host, std::uint64_t fanout) {
  NodeSettings chosen = settings(node_id(host, 0));
  chosen.cast_fanout = fanout;
  chosen.shared_memory_limit = 16 << 20;
  return started(chosen);
}

std::vector<Target> actors_on(std::initializer_list<std::uint32_t> hosts) {
  std::vector<Target> targets;
  for (const std::uint32_t host : hosts)
    targets.push_back({node_id(host, 0), kActor, targets.size()});
  return targets;
}

// The next frame that an impostor gets and that is of that kind.
Frame read(Impostor& peer, FrameKind kind) {
  // Heartbeats come for ever.
  const auto deadline = Clock::now() + kPatience;
  while (true) {
    REQUIRE(Clock::now() < deadline);
    Frame frame;
    REQUIRE(::recv(peer.fd(), &frame.header, sizeof(frame.header),
                   MSG_WAITALL) == sizeof(frame.header));
    auto body = std::make_shared<eclosion::Bytes>(frame.header.body_length);
    if (body->size() != 0)
      REQUIRE(::recv(peer.fd(), body->data(), body->size(), MSG_WAITALL) ==
              static_cast<ssize_t>(body->size()));
    frame.body = body;
    if (frame.header.kind == kind) return frame;
  }
}

Frame request(NodeId from, std::string_view data) {
  Frame frame;
  frame.header.kind = FrameKind::kRequest;
  frame.header.source_node = from;
  frame.body = make_body(frame.header, "method", {}, data, {});
  return frame;
}

// What a host far away sends by others: with these numbers to these hosts.
Frame tree(std::uint32_t from,
           std::initializer_list<std::pair<std::uint32_t, std::uint64_t>> to,
           std::string_view data) {
  std::vector<Branch> branches;
  for (const auto& [host, number] : to)
    branches.push_back(
        {{node_id(host, 0), number, 1}, {{node_id(host, 0), kActor, 0}}});
  return tree_of(request(node_id(from, 0), data), branches);
}

}  // namespace

TEST_CASE("hosts that the sender has no way to get a message by others") {
  const auto one = gateway(1, 2);
  const auto two = gateway(2, 2);
  const auto three = gateway(3, 2);
  const auto four = gateway(4, 2);
  const auto five = gateway(5, 2);
  link(*one, *two, false);
  link(*two, *three, false);
  link(*one, *four, false);
  link(*four, *five, false);
  for (int i = 0; i < 20; ++i)
    send(*one, {actors_on({2, 3, 4, 5}), std::to_string(i)});
  for (Node* node : {two.get(), three.get(), four.get(), five.get()})
    for (int i = 0; i < 20; ++i)
      CHECK(data_of(take(*node, kActor)) == std::to_string(i));
}

TEST_CASE("no more hosts than the fan-out, or none at all: each by itself") {
  const auto one = gateway(1, 0);
  Impostor two(*one, node_id(2, 0), false);
  Impostor three(*one, node_id(3, 0), false);
  send(*one, {actors_on({2, 3}), "x"});
  CHECK(data_of(read(two, FrameKind::kRequest)) == "x");
  CHECK(data_of(read(three, FrameKind::kRequest)) == "x");
}

TEST_CASE("processes behind gateways, and shared memory, by a tree of one") {
  const auto one = gateway(1, 1);
  NodeSettings with_memory = settings(node_id(1, 1));
  with_memory.shared_memory_limit = 16 << 20;
  const auto sender = started(with_memory);
  link(*one, *sender);
  std::vector<std::unique_ptr<Node>> gateways;
  std::vector<std::unique_ptr<Node>> workers;
  std::vector<Target> targets;
  for (std::uint32_t host = 2; host < 6; ++host) {
    gateways.push_back(gateway(host, 1));
    for (std::uint32_t process = 1; process < 3; ++process) {
      workers.push_back(started(node_id(host, process)));
      link(*gateways.back(), *workers.back());
      targets.push_back({workers.back()->id(), kActor, targets.size()});
    }
    if (host > 2) link(*gateways[host - 3], *gateways.back(), false);
    link(*one, *gateways.back(), false);
  }
  const std::string large(3 << 20, 'L');
  Message message{targets, "data", {large, "small"}};
  const auto made = call(*sender, message);
  for (const auto& worker : workers) {
    const Frame got = take(*worker, kActor);
    CHECK(buffer_of(got, 0) == large);
    CHECK(buffer_of(got, 1) == "small");
    answer(*worker, got, std::to_string(worker->id()));
  }
  const auto answers = replies(*made);
  REQUIRE(answers.size() == workers.size());
  for (std::size_t i = 0; i < answers.size(); ++i)
    CHECK(data_of(answers[i]) == std::to_string(workers[i]->id()));
  CHECK(all_is_free(*sender));
}

TEST_CASE("a host in between dies: what it had comes once, before the later") {
  const auto one = gateway(1, 1);
  const auto three = gateway(3, 1);
  Impostor two(*one, node_id(2, 0), false);
  link(*one, *three, false);
  send(*one, {actors_on({2, 3}), "first"});
  Frame late = read(two, FrameKind::kTree);
  send(*one, {actors_on({3}), "second"});
  one->bury_host(node_id(2, 0), "gone");
  CHECK(data_of(take(*three, kActor)) == "first");
  CHECK(data_of(take(*three, kActor)) == "second");
  // What it still passed on is not delivered twice.
  Impostor before(*three, node_id(4, 0), false);
  std::vector<Branch> rest{branches_of(late)[1]};
  before.write(tree_of(for_target(late, {}, without_rows(late)), rest));
  read(before, FrameKind::kHeartbeat);
  send(*one, {actors_on({3}), "third"});
  CHECK(data_of(take(*three, kActor)) == "third");
}

TEST_CASE("a host that dies with what is held for it holds nobody else's") {
  const auto one = gateway(1, 1);
  const auto three = gateway(3, 1);
  link(*one, *three, false);
  const auto made = call(*one, {actors_on({2, 3}), "x"});
  CHECK(news(*one, "!unrouted").header.source_node == node_id(2, 0));
  one->bury_host(node_id(2, 0), "gone");
  const Frame got = take(*three, kActor);
  CHECK(data_of(got) == "x");
  answer(*three, got, "y");
  const auto answers = replies(*made);
  CHECK(status_of(answers.at(0)) == ReplyStatus::kFailed);
}

TEST_CASE("a dead host is not asked to pass on, and the call says it is dead") {
  const auto one = gateway(1, 1);
  const auto three = gateway(3, 1);
  link(*one, *three, false);
  one->bury_host(node_id(2, 0), "gone");
  const auto made = call(*one, {actors_on({2, 3}), "x"});
  CHECK(data_of(take(*three, kActor)) == "x");
  REQUIRE(wait_for(made->gate(), [&] { return made->settled(); }));
  const auto problem = made->problem();
  REQUIRE(problem);
  CHECK(data_of(*problem) == "gone");
}

TEST_CASE("what came too early waits, and replies keep the order too") {
  const auto two = gateway(2, 1);
  Impostor one(*two, node_id(1, 0), false);
  const auto made = call(*two, {actors_on({1}), "question"});
  CHECK(data_of(read(one, FrameKind::kRequest)) == "question");
  Frame reply = request(node_id(1, 0), "answer");
  reply.header.kind = FrameKind::kReply;
  reply.header.target_node = two->id();
  reply.header.request = made->id();
  reply.header.number = 2;
  one.write(reply);
  read(one, FrameKind::kHeartbeat);
  CHECK_FALSE(made->settled());
  one.write(tree(1, {{2, 1}}, "before"));
  CHECK(data_of(replies(*made).at(0)) == "answer");
  CHECK(data_of(take(*two, kActor)) == "before");
}

TEST_CASE("what other hosts brought has a receipt, which ends its keeping") {
  const auto three = gateway(3, 1);
  Impostor one(*three, node_id(1, 0), false);
  one.write(tree(1, {{3, 1}}, "x"));
  const Frame receipt = read(one, FrameKind::kReceipt);
  CHECK(receipt.header.request == 1);
  CHECK(receipt.header.source_node == three->id());

  const auto sender = gateway(5, 1);
  Impostor two(*sender, node_id(2, 0), false);
  Impostor far(*sender, node_id(6, 0), false);
  send(*sender, {actors_on({2, 6}), "kept"});
  const Frame sent = read(two, FrameKind::kTree);
  Frame told;
  told.header.kind = FrameKind::kReceipt;
  told.header.source_node = node_id(6, 0);
  told.header.target_node = sender->id();
  told.header.request = branches_of(sent)[1].leg.number;
  SUBCASE("told") {
    far.write(told);
    // It has been read when what came after it has.
    Frame message = request(node_id(6, 0), "after");
    message.header.target_node = sender->id();
    message.header.target_actor = kActor;
    far.write(message);
    CHECK(data_of(take(*sender, kActor)) == "after");
    sender->bury_host(node_id(2, 0), "gone");
    send(*sender, {actors_on({6}), "next"});
    CHECK(data_of(read(far, FrameKind::kRequest)) == "next");
  }
  SUBCASE("not told") {
    sender->bury_host(node_id(2, 0), "gone");
    const Frame again = read(far, FrameKind::kCast);
    CHECK(again.header.number == told.header.request);
  }
}

TEST_CASE("a host that cannot pass on says so, and the sender does it") {
  const auto two = gateway(2, 1);
  Impostor one(*two, node_id(1, 0), false);
  SUBCASE("since it has given the next one up") {
    two->bury_host(node_id(3, 0), "gone");
    one.write(tree(1, {{2, 1}, {3, 1}}, "x"));
  }
  SUBCASE("since it gives it up later, when it may have lost something") {
    Impostor three(*two, node_id(3, 0), false);
    one.write(tree(1, {{2, 1}, {3, 1}}, "x"));
    read(three, FrameKind::kTree);
    two->bury_host(node_id(3, 0), "gone");
  }
  CHECK(data_of(take(*two, kActor)) == "x");
  Frame back = read(one, FrameKind::kReturn);
  CHECK(back.header.target_node == node_id(1, 0));
  CHECK(back.header.request == node_id(3, 0));

  const auto sender = gateway(1, 1);
  Impostor passes(*sender, node_id(2, 0), false);
  Impostor far(*sender, node_id(3, 0), false);
  send(*sender, {actors_on({2, 3}), "again"});
  read(passes, FrameKind::kTree);
  passes.write(back);
  CHECK(read(far, FrameKind::kCast).header.number == 1);
  // It is not asked again.
  send(*sender, {actors_on({2, 3}), "more"});
  CHECK(data_of(read(passes, FrameKind::kRequest)) == "more");
  CHECK(branches_of(read(far, FrameKind::kTree)).size() == 1);
  // Unless the one that it gave up is dead for all.
  sender->bury_host(node_id(3, 0), "gone");
  send(*sender, {actors_on({2, 4}), "tree"});
  CHECK(branches_of(read(passes, FrameKind::kTree)).size() == 2);
}

TEST_CASE("a dead process is no gap in what its host gets") {
  const auto one = gateway(1, 1);
  const auto two = gateway(2, 1);
  const auto worker = started(node_id(2, 1));
  link(*two, *worker);
  link(*one, *two, false);
  two->bury(worker->id(), "dead");
  one->bury(worker->id(), "dead");
  const auto made = call(*one, {{{worker->id(), kActor, 0}}, "to the dead"});
  CHECK(data_of(replies(*made).at(0)) == "dead");
  send(*one, {actors_on({2}), "next"});
  CHECK(data_of(take(*two, kActor)) == "next");
}

TEST_CASE("what one passes on for others is no gap either") {
  const auto one = gateway(1, 1);
  const auto two = gateway(2, 1);
  const auto three = gateway(3, 1);
  const auto worker = started(node_id(3, 1));
  link(*three, *worker);
  link(*one, *two, false);
  link(*two, *three, false);
  one->route_through(three->id(), two->id());
  two->bury(worker->id(), "dead");
  send(*one, {{{worker->id(), kActor, 0}}, "to the dead, as some know"});
  send(*one, {actors_on({3}), "next"});
  CHECK(data_of(take(*three, kActor)) == "next");
}

TEST_CASE("a tree that does not begin at its receiver ends the connection") {
  const auto two = gateway(2, 1);
  Impostor one(*two, node_id(1, 0), false);
  Frame wrong = tree(1, {{3, 1}}, "x");
  wrong.header.target_node = two->id();
  one.write(wrong);
  CHECK(news(*two, "!lost").header.source_node == node_id(1, 0));
}

TEST_CASE("under load, hosts that die in between change no order") {
  constexpr std::uint32_t kHosts = 7;
  constexpr int kMessages = 300;
  std::vector<std::unique_ptr<Node>> hosts;
  for (std::uint32_t host = 1; host <= kHosts; ++host)
    hosts.push_back(gateway(host, 2));
  for (std::size_t i = 0; i < kHosts; ++i)
    for (std::size_t j = i + 1; j < kHosts; ++j)
      link(*hosts[i], *hosts[j], false);
  // Host 2 and host 4 pass on for others; the rest are to get everything.
  const std::vector<std::size_t> living{0, 2, 4, 5, 6};
  std::atomic<int> sent{0};
  std::vector<std::thread> senders;
  for (const std::size_t from : living) {
    senders.emplace_back([&, from] {
      for (int i = 0; i < kMessages; ++i) {
        std::vector<Target> targets;
        const bool to_all = i % 3 != 0;
        for (std::size_t to = 0; to < kHosts; ++to)
          if (to != from && (to_all || (to + i) % 2 == 0))
            targets.push_back({hosts[to]->id(), kActor, 0});
        send(*hosts[from], {targets, std::to_string(i), {}, {}, from + 1});
        ++sent;
      }
    });
  }
  std::thread reaper([&] {
    for (const std::size_t dead : {1UL, 3UL}) {
      while (sent.load() < static_cast<int>(dead) * 300)
        std::this_thread::yield();
      hosts[dead]->stop();
      for (const std::size_t each : living)
        hosts[each]->bury_host(hosts[dead]->id(), "gone");
      hosts[1]->bury_host(hosts[3]->id(), "gone");
    }
  });
  for (const std::size_t to : living) {
    std::map<NodeId, int> last;
    std::size_t expected = 0;
    for (const std::size_t from : living)
      for (int i = 0; i < kMessages && from != to; ++i)
        expected += i % 3 != 0 || (to + i) % 2 == 0;
    for (std::size_t got = 0; got < expected; ++got) {
      const Frame frame = take(*hosts[to], kActor);
      const NodeId from = frame.header.source_node;
      int next = last.contains(from) ? last[from] + 1 : 0;
      while (next % 3 == 0 && (to + next) % 2 != 0) ++next;
      CHECK(data_of(frame) == std::to_string(next));
      last[from] = next;
    }
  }
  for (std::thread& sender : senders) sender.join();
  reaper.join();
}
