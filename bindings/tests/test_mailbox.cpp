// core/mailbox: order, urgency, calls that lead back, and the end.
#include "mailbox.h"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

using eclosion::ChainLink;
using eclosion::Frame;
using eclosion::FrameKind;
using eclosion::Mailbox;
using eclosion::Notifier;
using eclosion::ReplyStatus;

namespace {

constexpr eclosion::ActorId kId = 7;

struct Answer {
  std::uint64_t request;
  ReplyStatus status;
  std::string data;
  bool operator==(const Answer&) const = default;
};

// A mailbox whose answers ask it something: that must not lock up.
struct Box {
  std::vector<Answer> answers;
  Mailbox mailbox{kId, [this](const Frame& request, ReplyStatus status,
                              const std::string& data) {
                    answers.push_back({request.header.request, status, data});
                    CHECK(mailbox.size() < 100);
                  }};
};

Frame message(std::uint64_t request, std::vector<ChainLink> chain = {}) {
  Frame frame;
  frame.header.kind = FrameKind::kRequest;
  frame.header.request = request;
  frame.body = make_body(frame.header, "method", chain, "", {});
  return frame;
}

std::uint64_t next(Mailbox& mailbox) {
  const auto frame = mailbox.take();
  return frame ? frame->header.request : 0;
}

}  // namespace

TEST_CASE("messages are taken in their order, urgent ones before") {
  Box box;
  for (const std::uint64_t i : {1, 2, 3}) CHECK(box.mailbox.put(message(i)));
  CHECK(box.mailbox.put(message(10), true));
  CHECK(box.mailbox.put(message(11), true));
  CHECK(box.mailbox.size() == 5);
  for (const std::uint64_t i : {10, 11, 1, 2, 3, 0})
    CHECK(next(box.mailbox) == i);
}

TEST_CASE("the gate opens for a message and for the end") {
  Box box;
  auto seen = box.mailbox.gate().count();
  box.mailbox.put(message(1));
  CHECK(box.mailbox.gate().count() != seen);
  seen = box.mailbox.gate().count();
  box.mailbox.close("end");
  CHECK(box.mailbox.gate().count() != seen);
}

TEST_CASE("only what leads back to a call that is waited for is answered") {
  Box box;
  const Frame back = message(1, {{1, 3, 5, "a"}, {1, kId, 50, "b"}});
  const Frame other_call = message(2, {{1, kId, 51, "b"}});
  const Frame other_actor = message(3, {{1, kId + 1, 50, "c"}});
  for (const Frame& frame : {back, other_call, other_actor, message(4)})
    box.mailbox.put(frame);
  box.mailbox.begin_wait(50);
  CHECK(box.answers == std::vector<Answer>{{1, ReplyStatus::kDeadlock, ""}});
  CHECK_FALSE(box.mailbox.put(back));
  CHECK(box.answers.size() == 2);
  CHECK(box.mailbox.put(other_call));
  box.mailbox.end_wait(50);
  CHECK(box.mailbox.put(back));
  for (const std::uint64_t i : {2, 3, 4, 2, 1, 0})
    CHECK(next(box.mailbox) == i);
}

TEST_CASE("several calls may be waited for") {
  Box box;
  box.mailbox.begin_wait(50);
  box.mailbox.begin_wait(60);
  box.mailbox.end_wait(50);
  CHECK(box.mailbox.put(message(1, {{1, kId, 50, ""}})));
  CHECK_FALSE(box.mailbox.put(message(2, {{1, kId, 60, ""}})));
}

TEST_CASE("a closed mailbox answers with its first reason") {
  Box box;
  box.mailbox.put(message(1));
  box.mailbox.put(message(2), true);
  CHECK_FALSE(box.mailbox.closed());
  box.mailbox.close("it stopped");
  box.mailbox.close("again");
  CHECK(box.mailbox.closed());
  CHECK_FALSE(box.mailbox.put(message(3)));
  CHECK(box.answers ==
        std::vector<Answer>{{1, ReplyStatus::kFailed, "it stopped"},
                            {3, ReplyStatus::kFailed, "it stopped"}});
  // What the node itself says is still heard.
  CHECK(next(box.mailbox) == 2);
}

TEST_CASE("every notifier is told of what is there, what comes, and the end") {
  using Tokens = std::vector<std::uint64_t>;
  Box box;
  box.mailbox.put(message(1));
  const auto first = std::make_shared<Notifier>();
  const auto second = std::make_shared<Notifier>();
  box.mailbox.notify(first, 9);
  CHECK(first->drain() == Tokens{9});
  CHECK(box.mailbox.take());
  box.mailbox.notify(first, 9);
  box.mailbox.notify(second, 8);
  CHECK(first->drain().empty());
  box.mailbox.put(message(2));
  box.mailbox.put(message(3));
  CHECK(first->drain() == Tokens{9});  // once, until it asks anew
  CHECK(second->drain() == Tokens{8});
  CHECK(box.mailbox.take());
  CHECK(box.mailbox.take());
  box.mailbox.notify(second, 6);
  const auto seen = box.mailbox.gate().count();
  box.mailbox.wake();
  CHECK(box.mailbox.gate().count() != seen);
  CHECK(second->drain() == Tokens{6});
  box.mailbox.notify(second, 7);
  box.mailbox.close("end");
  CHECK(second->drain() == Tokens{7});
}

TEST_CASE("every message is taken or answered once when it closes meanwhile") {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> answered{0};
    Mailbox mailbox(kId, [&](const Frame&, ReplyStatus, const std::string&) {
      ++answered;
    });
    std::vector<std::thread> senders;
    for (int i = 0; i < 2; ++i)
      senders.emplace_back([&] {
        for (int k = 0; k < 100; ++k) mailbox.put(message(1));
      });
    int taken = 0;
    while (taken < 20)
      if (mailbox.take()) ++taken;
    mailbox.close("end");
    for (auto& sender : senders) sender.join();
    CHECK_FALSE(mailbox.take());
    CHECK(taken + answered == 200);
  }
}
