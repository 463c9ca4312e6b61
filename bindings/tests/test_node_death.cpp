// core/node: deaths and ends: who is told, what fails, what still arrives.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <thread>

#include "nodes.h"

using namespace nodes;
using eclosion::FrameKind;

namespace {

constexpr ActorId kActor = 7;

std::string failure_of(Call& call) {
  const auto all = replies(call);
  REQUIRE(all.size() == 1);
  CHECK(status_of(all[0]) == ReplyStatus::kFailed);
  return data_of(all[0]);
}

}  // namespace

TEST_CASE("an obituary fails calls at once, on every host") {
  const auto gateway = started(node_id(1, 0));
  const auto worker = started(node_id(1, 1));
  const auto doomed = started(node_id(1, 2));
  const auto far_gateway = started(node_id(2, 0));
  const auto far_worker = started(node_id(2, 1));
  link(*gateway, *worker);
  link(*gateway, *doomed);
  link(*gateway, *far_gateway, false);
  link(*far_gateway, *far_worker);
  const std::vector<Target> targets{{doomed->id(), kActor, 0}};
  far_worker->watch(doomed->id());
  std::vector<std::shared_ptr<Call>> calls;
  for (Node* node : {gateway.get(), worker.get(), far_worker.get()})
    calls.push_back(call(*node, {targets, "x"}));
  for (int i = 0; i < 3; ++i) take(*doomed, kActor);
  gateway->bury(doomed->id(), "it fell");
  for (const auto& made : calls) CHECK(failure_of(*made) == "it fell");
  const Frame told = news(*far_worker, "!obituary");
  CHECK(told.header.source_node == doomed->id());
  CHECK(data_of(told) == "it fell");
  // And so does what is sent later.
  CHECK(failure_of(*call(*far_worker, {targets, "y"})) == "it fell");
  CHECK(worker->obituary_of(doomed->id()) == "it fell");
  far_worker->watch(doomed->id());
  CHECK(data_of(news(*far_worker, "!obituary")) == "it fell");
}

TEST_CASE("the dead of a group do not take the living along") {
  const auto gateway = started(node_id(1, 0));
  const auto far_gateway = started(node_id(2, 0));
  const auto far_worker = started(node_id(2, 1));
  link(*gateway, *far_gateway, false);
  link(*far_gateway, *far_worker);
  // Other hosts learn of it from its own.
  far_gateway->bury(node_id(2, 9), "dead");
  gateway->bury(node_id(2, 9), "dead");
  const auto made =
      call(*gateway,
           {{{node_id(2, 9), kActor, 0}, {far_worker->id(), kActor, 1}}, "x"});
  answer(*far_worker, take(*far_worker, kActor), "alive");
  REQUIRE(wait_for(made->gate(), [&] { return made->settled(); }));
  const auto problem = made->problem();
  REQUIRE(problem);
  CHECK(data_of(*problem) == "dead");
  std::vector<std::string> data;
  REQUIRE(wait_for(made->gate(), [&] {
    while (auto reply = made->next()) data.push_back(data_of(*reply));
    return made->finished();
  }));
  CHECK(std::count(data.begin(), data.end(), "alive") == 1);
}

TEST_CASE("a host that is lost takes its processes along, for workers too") {
  const auto gateway = started(node_id(1, 0));
  const auto worker = started(node_id(1, 1));
  const auto far_gateway = started(node_id(2, 0));
  const auto far_worker = started(node_id(2, 1));
  link(*gateway, *worker);
  link(*gateway, *far_gateway, false);
  link(*far_gateway, *far_worker);
  const std::vector<Target> targets{{far_worker->id(), kActor, 0}};
  const auto made = call(*worker, {targets, "x"});
  take(*far_worker, kActor);
  gateway->bury_host(far_gateway->id(), "the network");
  CHECK(failure_of(*made) == "the network");
  CHECK(failure_of(*call(*worker, {targets, "y"})) == "the network");
}

TEST_CASE("the last replies of a dead process are taken before its obituary") {
  for (int round = 0; round < 20; ++round) {
    const auto gateway = started(node_id(1, 0));
    Impostor doomed(*gateway, node_id(1, 2));
    const auto made = call(*gateway, {{{node_id(1, 2), kActor, 0}}, "x"});
    Frame reply;
    reply.header.kind = FrameKind::kReply;
    reply.header.source_node = node_id(1, 2);
    reply.header.target_node = gateway->id();
    reply.header.request = made->id();
    reply.body = make_body(reply.header, "", {}, "last words", {});
    doomed.write(reply);
    doomed.close();
    gateway->bury(node_id(1, 2), "it fell");
    CHECK(data_of(replies(*made).at(0)) == "last words");
  }
}

TEST_CASE("what was sent just before a node stops still arrives") {
  const auto gateway = started(node_id(1, 0));
  auto wide = settings(node_id(1, 1));
  wide.mailbox_bytes = 1ULL << 30;
  auto worker = started(wide);
  link(*gateway, *worker);
  constexpr int kMessages = 60;
  // The gateway reads nothing before the worker has begun to stop.
  Gate release;
  const auto seen = release.count();
  gateway->loop().post([&] { release.wait(seen, eclosion::kNever); });
  for (int i = 0; i < kMessages; ++i) {
    // More than the socket holds.
    std::string data = std::to_string(i);
    data.resize(100'000, ' ');
    send(*worker, {{{gateway->id(), kActor, 0}}, data});
  }
  std::thread stopping([&] { worker.reset(); });
  release.open();
  stopping.join();
  for (int i = 0; i < kMessages; ++i)
    CHECK(std::stoi(data_of(take(*gateway, kActor))) == i);
  CHECK(news(*gateway, "!lost").header.source_node == node_id(1, 1));
}

TEST_CASE("a node stops though a peer does not read, and its calls end") {
  auto node = started(node_id(1, 0));
  Impostor peer(*node, node_id(1, 1));
  const std::vector<Target> targets{{node_id(1, 1), kActor, 0}};
  const auto made = call(*node, {targets, std::string(4'000'000, 'x')});
  node->stop();
  CHECK(failure_of(*made).empty());
  CHECK(failure_of(*call(*node, {targets, "late"})).empty());
}

TEST_CASE("a gateway hears of a connection that ends, and holds what follows") {
  const auto gateway = started(node_id(1, 0));
  auto worker = started(node_id(1, 1));
  link(*gateway, *worker);
  const std::vector<Target> targets{{node_id(1, 1), kActor, 0}};
  send(*gateway, {targets, "x"});
  take(*worker, kActor);
  worker.reset();
  CHECK(news(*gateway, "!lost").header.source_node == node_id(1, 1));
  const auto made = call(*gateway, {targets, "y"});
  CHECK_FALSE(made->settled());
  // It is not asked for another way.
  CHECK(gateway->mailbox(eclosion::kAgent)->size() == 0);
  gateway->bury(node_id(1, 1), "exit status 3");
  CHECK(failure_of(*made) == "exit status 3");
}

TEST_CASE("what ended before a revival is no news of the revived") {
  auto patient = settings(node_id(1, 1));
  patient.eof_grace = std::chrono::milliseconds(50);
  const auto gateway = started(node_id(1, 0));
  const auto worker = started(patient);
  const NodeId id = node_id(1, 2);
  link(*gateway, *worker);
  auto doomed = started(id);
  doomed->listen(listener(id));
  link(*gateway, *doomed);
  const std::vector<Target> targets{{id, kActor, 0}};
  send(*worker, {targets, "x"});
  take(*doomed, kActor);
  worker->watch(id);
  SUBCASE("the end is seen first") { doomed.reset(); }
  SUBCASE("the obituary is seen first") {}
  gateway->bury(id, "it fell");
  CHECK(news(*worker, "!obituary").header.source_node == id);
  gateway->revive(id);
  doomed.reset();
  // The revival has come before this.
  send(*gateway, {{{worker->id(), kActor, 0}}, "after it"});
  take(*worker, kActor);
  const auto made = call(*worker, {targets, "y"});
  const auto revived = started(id);
  link(*gateway, *revived);
  const Frame request = take(*revived, kActor);
  Gate never;
  wait_for(never, [] { return false; }, std::chrono::milliseconds(150));
  CHECK_FALSE(worker->obituary_of(id));
  answer(*revived, request, "again");
  CHECK(data_of(replies(*made).at(0)) == "again");
}

TEST_CASE("the calls of the next life do not fail by the last obituary") {
  const auto gateway = started(node_id(1, 0));
  const NodeId id = node_id(1, 1);
  // What takes time to fail, so that the next life begins meanwhile.
  std::vector<std::shared_ptr<Call>> held;
  for (int i = 0; i < 20'000; ++i)
    held.push_back(call(*gateway, {{{id, eclosion::kAgent, 0}}, "x"}));
  gateway->watch(id);
  std::thread burying([&] { gateway->bury(id, "it fell"); });
  CHECK(news(*gateway, "!obituary").header.source_node == id);
  gateway->revive(id);
  const auto revived = started(id);
  link(*gateway, *revived);
  const auto made = call(*gateway, {{{id, kActor, 0}}, "y"});
  const Frame request = take(*revived, kActor);
  burying.join();
  CHECK_FALSE(made->settled());
  answer(*revived, request, "again");
  CHECK(data_of(replies(*made).at(0)) == "again");
  for (const auto& each : held) CHECK(failure_of(*each) == "it fell");
}

TEST_CASE("a process that has spoken and falls silent is told of, once") {
  auto quick = settings(node_id(1, 0));
  quick.heartbeat_interval = std::chrono::milliseconds(10);
  quick.heartbeat_timeout = std::chrono::milliseconds(100);
  const auto gateway = started(quick);
  Impostor starting(*gateway, node_id(1, 1));
  Impostor silent(*gateway, node_id(1, 2));
  Frame beat;
  beat.header.kind = FrameKind::kHeartbeat;
  silent.write(beat);
  CHECK(news(*gateway, "!silent").header.source_node == node_id(1, 2));
  // Many intervals later nothing more was said.
  Gate never;
  wait_for(never, [] { return false; }, std::chrono::milliseconds(300));
  CHECK(gateway->mailbox(eclosion::kAgent)->size() == 0);
}

TEST_CASE("a worker keeps its gateway's patience by heartbeats alone") {
  auto quick = settings(node_id(1, 0));
  quick.heartbeat_interval = std::chrono::milliseconds(20);
  quick.heartbeat_timeout = std::chrono::seconds(2);
  const auto gateway = started(quick);
  quick.id = node_id(1, 1);
  const auto worker = started(quick);
  link(*gateway, *worker);
  Gate never;
  wait_for(never, [] { return false; }, std::chrono::milliseconds(2500));
  CHECK(gateway->mailbox(eclosion::kAgent)->size() == 0);
}

TEST_CASE("what a dead process said before it was restarted buries nobody") {
  const auto node = std::make_unique<Node>(settings(node_id(1, 1)));
  node->listen(listener(node->id()));
  const NodeId sibling = node_id(1, 2);
  const std::string name = eclosion::socket_name(node->id());
  const pid_t before = ::fork();
  if (before == 0) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    ::connect(fd, reinterpret_cast<const sockaddr*>(&address),
              static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                     name.size()));
    eclosion::FrameHeader hello;
    hello.source_node = sibling;
    (void)!::write(fd, &hello, sizeof(hello));
    ::_exit(0);
  }
  REQUIRE(::waitpid(before, nullptr, 0) == before);
  // Only now it is read, and its end with it.
  node->start();
  Gate passed;
  node->loop().after(node->settings().eof_grace * 5, [&] { passed.open(); });
  REQUIRE(wait_for(passed, [&] { return passed.count() != 0; }));
  CHECK_FALSE(node->obituary_of(sibling));
}
