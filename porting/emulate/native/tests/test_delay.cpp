// core/scheduler under ECLOSION_EMULATOR_DELAY_US: work starts late, unless
// somebody waits for it. For a process of its own, in which the delay is an
// hour: what is not hurried does not run.
#include <doctest/doctest.h>

#include <thread>

#include "gates.h"
#include "scheduler.h"
#include "stream.h"

using namespace eclosion::emulator;
using namespace eclosion::emulator::tests;

namespace {

StreamRef stream_of() {
  return std::make_shared<Stream>(0, Stream::kNonBlocking, 0);
}

}  // namespace

TEST_CASE("what nobody waits for starts late") {
  const StreamRef late = stream_of();
  const StreamRef wanted = stream_of();
  Journal journal;
  late->put(journal.work("late"));
  wanted->put(journal.work("wanted"));
  wanted->put(journal.work(" too"));
  CHECK(wanted->synchronize() == Status::kSuccess);
  CHECK(journal.text() == "wanted too");
  CHECK(late->query() == Status::kNotReady);
  CHECK(late->synchronize() == Status::kSuccess);
  CHECK(journal.text() == "wanted toolate");
}

TEST_CASE("what is waited for hurries all that it depends on") {
  const StreamRef first = stream_of();
  const StreamRef second = stream_of();
  const auto event = std::make_shared<Event>(0, 0);
  Journal journal;
  first->put(journal.work("a"));
  event->record(*first);
  first->put(journal.work("not wanted"));
  second->wait(event);
  second->put_host({"function"}, [&](Status) {}, false);
  second->put(journal.work("b"));
  SUBCASE("stream") { CHECK(second->synchronize() == Status::kSuccess); }
  SUBCASE("event") {
    const auto end = std::make_shared<Event>(0, 0);
    end->record(*second);
    CHECK(end->synchronize() == Status::kSuccess);
  }
  CHECK(journal.text() == "ab");
  CHECK(synchronize_device(0) == Status::kSuccess);
  CHECK(journal.text() == "abnot wanted");
}

TEST_CASE("what is waited for while it is held up hurries when it may run") {
  const StreamRef stream = stream_of();
  Gate gate;
  Journal journal;
  const auto held = std::make_shared<Operation>(0, Title{"held"}, gate.body());
  const auto later =
      std::make_shared<Operation>(0, Title{"later"}, journal.body("later"));
  Scheduler::get().submit(held, {});
  Scheduler::get().submit(later, std::vector<OperationRef>{held});
  std::thread opener([&] {
    gate.await_arrival();
    gate.open();
  });
  Scheduler::get().wait(later);
  opener.join();
  CHECK(journal.text() == "later");
}
