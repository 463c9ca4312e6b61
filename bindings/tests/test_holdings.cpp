// core/node: what ends leaves nothing behind in those that live on, however
// often it happens, but that it has ended.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "nodes.h"

using namespace nodes;

namespace {

constexpr ActorId kActor = 7;
constexpr int kTimes = 50;

using Holdings = std::map<std::string, std::uint64_t>;

Holdings holdings_of(Node& node) {
  Holdings found;
  for (const auto& [name, count] : node.holdings()) found[name] = count;
  return found;
}

std::string told(const Holdings& holdings) {
  std::string text;
  for (const auto& [name, count] : holdings)
    text += name + " " + std::to_string(count) + " ";
  return text;
}

// That a node keeps just this more than it did, by name; ends that others learn
// of take a moment.
void check_grown(Node& node, const Holdings& before, const Holdings& expected) {
  Gate pause;
  const auto deadline = Clock::now() + std::chrono::seconds(5);
  while (true) {
    Holdings more;
    for (const auto& [name, count] : holdings_of(node))
      if (count > before.at(name)) more[name] = count - before.at(name);
    if (more != expected && Clock::now() < deadline) {
      pause.wait(pause.count(), Clock::now() + std::chrono::milliseconds(5));
      continue;
    }
    CHECK(told(more) == told(expected));
    return;
  }
}

// One process of a host after the other, next to one that stays.
struct Siblings {
  std::unique_ptr<Node> gateway = started(node_id(1, 0));
  std::unique_ptr<Node> worker = started(node_id(1, 1));
  std::uint32_t born = 1;

  Siblings() { link(*gateway, *worker); }

  void live_and_die() {
    const auto doomed = started(node_id(1, ++born));
    link(*gateway, *doomed);
    worker->watch(doomed->id());
    const auto made = call(*worker, {{{doomed->id(), kActor, 0}}, "ask"});
    answer(*doomed, take(*doomed, kActor), "answer");
    CHECK(data_of(replies(*made).at(0)) == "answer");
    worker->forget_call(made->id());
    send(*worker, {{{doomed->id(), kActor, 0}}, "never taken"});
    send(*doomed, {{{worker->id(), kActor, 0}}, "before its death"});
    send(*doomed, {{{worker->id(), kActor, 0}}, "taken after it"});
    CHECK(data_of(take(*worker, kActor)) == "before its death");
    const auto mailbox = worker->mailbox(kActor);
    REQUIRE(wait_for(mailbox->gate(), [&] { return mailbox->size() == 1; }));
    gateway->bury(doomed->id(), "it fell");
    CHECK(news(*worker, "!obituary").header.source_node == doomed->id());
    CHECK(data_of(take(*worker, kActor)) == "taken after it");
  }
};

}  // namespace

TEST_CASE("processes that die leave what is known of their end") {
  Siblings host;
  host.live_and_die();
  const auto worker = holdings_of(*host.worker);
  const auto gateway = holdings_of(*host.gateway);
  for (int i = 0; i < kTimes; ++i) host.live_and_die();
  check_grown(*host.worker, worker, {{"ended", kTimes}});
  check_grown(*host.gateway, gateway, {{"ended", kTimes}});
}

TEST_CASE("actors that end leave what is known of their end") {
  const auto gateway = started(node_id(1, 0));
  const auto worker = started(node_id(1, 1));
  link(*gateway, *worker);
  ActorId actor = 100;
  const auto live_and_end = [&] {
    ++actor;
    worker->open_mailbox(actor);
    const std::vector<Target> targets{{worker->id(), actor, 0}};
    const auto made = call(*gateway, {targets, "ask"});
    answer(*worker, take(*worker, actor), "answer");
    CHECK(data_of(replies(*made).at(0)) == "answer");
    gateway->forget_call(made->id());
    send(*gateway, {targets, "left"});
    const auto mailbox = worker->mailbox(actor);
    REQUIRE(wait_for(mailbox->gate(), [&] { return mailbox->size() == 1; }));
    worker->close_mailbox(actor, "it stopped");
    worker->tell(actor, "!stop", 0, "");
    const auto late = call(*gateway, {targets, "late"});
    CHECK(data_of(replies(*late).at(0)) == "it stopped");
    gateway->forget_call(late->id());
  };
  live_and_end();
  const auto before = holdings_of(*worker);
  const auto sender = holdings_of(*gateway);
  for (int i = 0; i < kTimes; ++i) live_and_end();
  check_grown(*worker, before, {{"ended_actors", kTimes}});
  check_grown(*gateway, sender, {});
}

TEST_CASE("an actor that is constructed again is one that has not ended") {
  const auto node = started(node_id(1, 0));
  const std::vector<Target> targets{{node->id(), kActor, 0}};
  node->open_mailbox(kActor);
  node->close_mailbox(kActor, "it stopped");
  CHECK(data_of(replies(*call(*node, {targets, "x"})).at(0)) == "it stopped");
  node->open_mailbox(kActor);
  send(*node, {targets, "y"});
  CHECK(data_of(take(*node, kActor)) == "y");
}

TEST_CASE("hosts that are lost leave what is known of their end") {
  const auto client = started(node_id(1, 0));
  const auto worker = started(node_id(1, 1));
  client->set_root(client->id());
  link(*client, *worker);
  std::uint32_t number = 1;
  const auto attach_and_lose = [&] {
    const auto host = started(node_id(++number, 0));
    const auto far = started(node_id(number, 1));
    link(*host, *far);
    link(*client, *host, false);
    for (Node* near : {client.get(), worker.get()}) {
      const std::vector<Target> targets{{far->id(), kActor, 0}};
      const auto made = call(*near, {targets, "ask"});
      answer(*far, take(*far, kActor), "answer");
      CHECK(data_of(replies(*made).at(0)) == "answer");
      near->forget_call(made->id());
      send(*near, {targets, "never taken"});
      send(*far, {{{near->id(), kActor, 0}}, "taken before"});
      send(*far, {{{near->id(), kActor, 0}}, "taken after"});
      CHECK(data_of(take(*near, kActor)) == "taken before");
      const auto mailbox = near->mailbox(kActor);
      REQUIRE(wait_for(mailbox->gate(), [&] { return mailbox->size() == 1; }));
      near->watch(far->id());
      take(*far, kActor);
    }
    client->bury_host(host->id(), "it is out of reach");
    for (Node* near : {client.get(), worker.get()}) {
      CHECK(news(*near, "!obituary").header.source_node == host->id());
      CHECK(data_of(take(*near, kActor)) == "taken after");
    }
  };
  attach_and_lose();
  const auto before = holdings_of(*client);
  const auto beside = holdings_of(*worker);
  for (int i = 0; i < kTimes; ++i) attach_and_lose();
  check_grown(*client, before, {{"ended", kTimes}});
  check_grown(*worker, beside, {{"ended", kTimes}});
}

TEST_CASE("of the longest dead it is known that they are") {
  const auto gateway = started(node_id(1, 0));
  const std::string text(10'000, 'x');
  for (std::uint32_t i = 1; i <= 200; ++i) {
    gateway->bury(node_id(1, i), text);
    gateway->bury_host(node_id(1 + i, 0), text);
  }
  CHECK(gateway->obituary_of(node_id(1, 200)) == text);
  CHECK(gateway->obituary_of(node_id(201, 3)) == text);
  CHECK(gateway->obituary_of(node_id(1, 1)) == "");
  CHECK(gateway->obituary_of(node_id(2, 3)) == "");
  const auto made = call(*gateway, {{{node_id(1, 1), kActor, 0}}, "x"});
  CHECK(status_of(replies(*made).at(0)) == ReplyStatus::kFailed);
}
