// core/call: replies once each, failures, and who is woken when.
#include "call.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <string>
#include <vector>

using eclosion::Call;
using eclosion::Descriptor;
using eclosion::Frame;
using eclosion::FrameKind;
using eclosion::Notifier;
using eclosion::ReplyStatus;
using eclosion::Target;

namespace {

const std::vector<Target> kThree{{1, 1, 0}, {2, 1, 1}, {1, 2, 2}};

Frame reply(std::uint32_t index, std::string_view data,
            ReplyStatus status = ReplyStatus::kOk) {
  Frame frame;
  frame.header.kind = FrameKind::kReply;
  frame.header.flags = static_cast<std::uint8_t>(status);
  frame.header.index = index;
  frame.body = make_body(frame.header, "", {}, data, {});
  return frame;
}

bool give(Call& call, Frame frame) { return call.reply(frame); }

std::string data_of(const Frame& frame) {
  return std::string(view_of(frame.header, *frame.body).data);
}

}  // namespace

TEST_CASE("replies are returned in the order of targets") {
  Call call(5, kThree);
  CHECK(give(call, reply(2, "c")));
  CHECK(give(call, reply(0, "a")));
  CHECK_FALSE(call.settled());
  CHECK(give(call, reply(1, "b")));
  CHECK(call.settled());
  CHECK_FALSE(call.problem());
  const auto all = call.take();
  REQUIRE(all.size() == 3);
  CHECK(data_of(all[0]) == "a");
  CHECK(data_of(all[2]) == "c");
  CHECK(call.take().empty());
  CHECK(call.finished());
}

TEST_CASE("a second reply, or one of no target, is left to who has it") {
  Call call(5, kThree);
  CHECK(give(call, reply(0, "first")));
  Frame second = reply(0, "second");
  CHECK_FALSE(call.reply(second));
  CHECK(data_of(second) == "second");
  CHECK_FALSE(give(call, reply(3, "nobody")));
  CHECK_FALSE(give(call, reply(~0U, "nobody")));
  CHECK(call.next());
  CHECK_FALSE(give(call, reply(0, "after it was taken")));
}

TEST_CASE("who waits for all is woken once, who takes each for each") {
  Call call(5, kThree);
  const auto seen = call.gate().count();
  CHECK(give(call, reply(0, "a")));
  CHECK(call.gate().count() == seen);
  CHECK(data_of(*call.next()) == "a");
  CHECK(give(call, reply(2, "c")));
  CHECK(call.gate().count() != seen);
  CHECK(data_of(*call.next()) == "c");
  CHECK_FALSE(call.next());
  CHECK_FALSE(call.finished());
}

TEST_CASE("the first problem settles a call") {
  Call call(5, kThree);
  CHECK(give(call, reply(1, "raised", ReplyStatus::kError)));
  CHECK(call.settled());
  CHECK(give(call, reply(0, "also", ReplyStatus::kError)));
  CHECK(data_of(*call.problem()) == "raised");
  CHECK(data_of(*call.problem()) == "raised");
  CHECK(call.take().size() == 2);
  CHECK_FALSE(call.problem());
}

TEST_CASE("shared memory of a reply goes with whoever takes it first") {
  Call call(5, kThree);
  Frame frame = reply(0, "x", ReplyStatus::kError);
  frame.segment =
      std::make_shared<Descriptor>(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const std::weak_ptr<Descriptor> segment = frame.segment;
  CHECK(give(call, std::move(frame)));
  SUBCASE("problem") { CHECK(call.problem()->segment == segment.lock()); }
  SUBCASE("next") { CHECK(call.next()->segment == segment.lock()); }
  SUBCASE("take") { CHECK(call.take().at(0).segment == segment.lock()); }
  SUBCASE("abandon") { CHECK(call.abandon().at(0).segment == segment.lock()); }
  CHECK(segment.expired());
  CHECK(call.abandon().empty());
}

TEST_CASE("a dead node fails what it has not answered") {
  Call call(5, kThree);
  CHECK(give(call, reply(0, "in time")));
  call.fail(1, "it fell");
  CHECK(call.settled());
  CHECK_FALSE(give(call, reply(2, "late")));
  CHECK(data_of(*call.problem()) == "it fell");
  CHECK(call.problem()->header.index == 2);
  CHECK(give(call, reply(1, "alive")));
  const auto all = call.take();
  REQUIRE(all.size() == 3);
  CHECK(data_of(all[0]) == "in time");
}

TEST_CASE("the end of a node fails all that is left") {
  Call call(5, kThree);
  CHECK(give(call, reply(1, "in time")));
  call.fail_all("stopped");
  const auto all = call.take();
  REQUIRE(all.size() == 3);
  CHECK(data_of(all[0]) == "stopped");
  CHECK(data_of(all[1]) == "in time");
}

TEST_CASE("nothing comes after a call was abandoned") {
  Call call(5, kThree);
  CHECK(give(call, reply(0, "a")));
  CHECK(call.abandon().size() == 1);
  CHECK_FALSE(give(call, reply(1, "b")));
}

TEST_CASE(
    "a notifier is told when the call is settled, even if it was before") {
  const auto notifier = std::make_shared<Notifier>();
  const std::vector<std::uint64_t> told{4};
  Call call(5, kThree);
  call.notify(notifier, 4);
  CHECK(give(call, reply(0, "a")));
  CHECK(notifier->drain().empty());
  call.fail_all("end");
  CHECK_FALSE(notifier->drain().empty());
  call.notify(notifier, 4);
  CHECK(notifier->drain() == told);
}

TEST_CASE("every notifier is told of a call, each once until it asks anew") {
  const auto first = std::make_shared<Notifier>();
  const auto second = std::make_shared<Notifier>();
  Call call(5, kThree);
  call.notify(first, 1);
  call.notify(first, 2);
  call.notify(second, 3);
  CHECK_FALSE(call.next());
  CHECK(give(call, reply(0, "a")));
  CHECK(first->drain() == std::vector<std::uint64_t>{1, 2});
  CHECK(second->drain() == std::vector<std::uint64_t>{3});
  CHECK(give(call, reply(1, "b")));
  CHECK(first->drain().empty());
  CHECK(call.next());
  CHECK(call.next());
  call.notify(second, 4);
  CHECK(second->drain().empty());
  CHECK(give(call, reply(2, "c")));
  CHECK(second->drain() == std::vector<std::uint64_t>{4});
}
