// core/capture: work that becomes a graph, how captures spread and join, and
// what ends them.
#include <doctest/doctest.h>

#include <thread>

#include "gates.h"
#include "stream.h"

using namespace eclosion::emulator;
using namespace eclosion::emulator::tests;

namespace {

constexpr CaptureMode kModes[] = {
    CaptureMode::kGlobal, CaptureMode::kThreadLocal, CaptureMode::kRelaxed};

StreamRef stream_of(unsigned flags = Stream::kNonBlocking) {
  return std::make_shared<Stream>(0, flags, 0);
}

EventRef event_of() { return std::make_shared<Event>(0, 0); }

// A stream that is being captured, and is not when the test ends.
struct Captured {
  StreamRef stream;
  explicit Captured(CaptureMode mode = CaptureMode::kThreadLocal,
                    unsigned flags = Stream::kNonBlocking)
      : stream(stream_of(flags)) {
    REQUIRE(stream->begin_capture(mode) == Status::kSuccess);
  }
  ~Captured() {
    GraphRef graph;
    if (stream && stream->capture_state() != CaptureState::kNone)
      stream->end_capture(&graph);
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  bool is_invalidated() const {
    return stream->capture_state() == CaptureState::kInvalidated;
  }
  Status end() const {
    GraphRef graph;
    const Status status = stream->end_capture(&graph);
    CHECK((graph != nullptr) == (status == Status::kSuccess));
    return status;
  }
};

}  // namespace

TEST_CASE("captured work is not run, and comes after one another") {
  const Captured capture;
  Journal journal;
  CHECK(capture.stream->capture_state() == CaptureState::kActive);
  CHECK(capture.stream->capture_id() != 0);
  for (const char* name : {"a", "b", "c"})
    CHECK(capture.stream->put(journal.work(name)) == Status::kSuccess);
  GraphRef graph;
  CHECK(capture.stream->end_capture(&graph) == Status::kSuccess);
  REQUIRE(graph);
  REQUIRE(graph->nodes().size() == 3);
  CHECK(journal.text().empty());
  CHECK(graph->roots().size() == 1);
  CHECK(graph->nodes()[2]->after ==
        std::vector<GraphNode*>{graph->nodes()[1].get()});
  CHECK(graph->nodes()[1]->title.what == "b");
  CHECK(capture.stream->capture_state() == CaptureState::kNone);
  CHECK(capture.stream->capture_id() == 0);
  CHECK(capture.stream->synchronize() == Status::kSuccess);
}

TEST_CASE("other streams join a capture by its events and have to come back") {
  const Captured capture;
  const StreamRef side = stream_of();
  const EventRef fork = event_of();
  const EventRef join = event_of();
  Journal journal;
  capture.stream->put(journal.work("first"));
  CHECK(fork->record(*capture.stream) == Status::kSuccess);
  CHECK(side->wait(fork) == Status::kSuccess);
  CHECK(side->capture_id() == capture.stream->capture_id());
  side->put(journal.work("side"));
  capture.stream->put(journal.work("main"));
  join->record(*side);
  CHECK(capture.stream->wait(join) == Status::kSuccess);
  CHECK(capture.stream->capture_dependencies().size() == 2);
  capture.stream->put(journal.work("last"));
  GraphRef graph;
  REQUIRE(capture.stream->end_capture(&graph) == Status::kSuccess);
  REQUIRE(graph->nodes().size() == 4);
  CHECK(graph->nodes()[1]->after == graph->nodes()[2]->after);
  CHECK(graph->nodes()[3]->after.size() == 2);
  CHECK(side->capture_state() == CaptureState::kNone);
}

TEST_CASE("a capture whose side did not come back is no graph") {
  const Captured capture;
  const StreamRef side = stream_of();
  const EventRef fork = event_of();
  Journal journal;
  fork->record(*capture.stream);
  side->wait(fork);
  SUBCASE("with work") {
    side->put(journal.work("side"));
    CHECK(capture.end() == Status::kCaptureUnjoined);
  }
  SUBCASE("without work there is nothing to come back") {
    CHECK(capture.end() == Status::kSuccess);
  }
  CHECK(side->capture_state() == CaptureState::kNone);
}

TEST_CASE("a capture ends where it began") {
  const Captured capture;
  const StreamRef side = stream_of();
  const EventRef fork = event_of();
  fork->record(*capture.stream);
  side->wait(fork);
  GraphRef graph;
  CHECK(side->end_capture(&graph) == Status::kCaptureUnmatched);
  CHECK(capture.is_invalidated());
  CHECK(capture.end() == Status::kCaptureInvalidated);
}

TEST_CASE("a capture ends on its thread, unless it is relaxed") {
  for (const CaptureMode mode : kModes) {
    const Captured capture(mode);
    Status status = Status::kUnknown;
    std::thread([&] { status = capture.end(); }).join();
    CHECK(status == (mode == CaptureMode::kRelaxed
                         ? Status::kSuccess
                         : Status::kCaptureWrongThread));
  }
}

TEST_CASE("a capture begins once, and not in the legacy stream") {
  const Captured capture;
  CHECK(capture.stream->begin_capture(CaptureMode::kRelaxed) ==
        Status::kIllegalState);
  CHECK(Stream::legacy(0)->begin_capture(CaptureMode::kRelaxed) ==
        Status::kCaptureUnsupported);
  GraphRef graph;
  CHECK(stream_of()->end_capture(&graph) == Status::kIllegalState);
}

TEST_CASE("waiting for a captured stream is refused and ends the capture") {
  const Captured capture;
  SUBCASE("synchronize") {
    CHECK(capture.stream->synchronize() == Status::kCaptureUnsupported);
  }
  SUBCASE("query") {
    CHECK(capture.stream->query() == Status::kCaptureUnsupported);
  }
  SUBCASE("device") {
    CHECK(synchronize_device(0) == Status::kCaptureUnsupported);
  }
  CHECK(capture.is_invalidated());
  Journal journal;
  CHECK(capture.stream->put(journal.work("x")) == Status::kCaptureInvalidated);
  CHECK(event_of()->record(*capture.stream) == Status::kCaptureInvalidated);
  CHECK(capture.end() == Status::kCaptureInvalidated);
  CHECK(capture.stream->put(journal.work("y")) == Status::kSuccess);
  CHECK(capture.stream->synchronize() == Status::kSuccess);
  CHECK(journal.text() == "y");
}

TEST_CASE("an event of a capture is none that can be waited for") {
  const Captured capture;
  const EventRef event = event_of();
  event->record(*capture.stream);
  SUBCASE("query") { CHECK(event->query() == Status::kCapturedEvent); }
  SUBCASE("synchronize") {
    CHECK(event->synchronize() == Status::kCapturedEvent);
  }
  CHECK(capture.end() == Status::kCaptureInvalidated);
  CHECK(event->query() == Status::kCapturedEvent);
  CHECK(stream_of()->wait(event) == Status::kCapturedEvent);
  const StreamRef stream = stream_of();
  CHECK(event->record(*stream) == Status::kSuccess);
  CHECK(event->synchronize() == Status::kSuccess);
}

TEST_CASE("a capture does not wait for work outside of it") {
  const StreamRef outside = stream_of();
  const EventRef event = event_of();
  event->record(*outside);
  const Captured capture;
  CHECK(capture.stream->wait(event_of()) == Status::kSuccess);
  CHECK(capture.stream->wait(event) == Status::kCaptureIsolation);
  CHECK(capture.end() == Status::kCaptureInvalidated);
}

TEST_CASE("two captures do not become one") {
  const Captured first;
  const Captured second;
  const EventRef event = event_of();
  event->record(*first.stream);
  CHECK(second.stream->wait(event) == Status::kCaptureMerge);
  CHECK(first.end() == Status::kCaptureInvalidated);
  CHECK(second.end() == Status::kCaptureInvalidated);
}

TEST_CASE("the legacy stream cannot be used while a blocking one is captured") {
  Journal journal;
  {
    const Captured apart(CaptureMode::kRelaxed);
    CHECK(Stream::legacy(0)->put(journal.work("x")) == Status::kSuccess);
    CHECK(apart.end() == Status::kSuccess);
  }
  const Captured blocking(CaptureMode::kRelaxed, 0);
  SUBCASE("work") {
    CHECK(Stream::legacy(0)->put(journal.work("y")) ==
          Status::kCaptureImplicit);
  }
  SUBCASE("wait") {
    CHECK(Stream::legacy(0)->synchronize() == Status::kCaptureImplicit);
  }
  SUBCASE("its own event") {
    const EventRef event = event_of();
    event->record(*blocking.stream);
    CHECK(Stream::legacy(0)->wait(event) == Status::kCaptureImplicit);
  }
  CHECK(blocking.end() == Status::kCaptureInvalidated);
  CHECK(Stream::legacy(0)->synchronize() == Status::kSuccess);
}

TEST_CASE("unsafe calls are forbidden as the modes of capture and thread say") {
  struct Row {
    CaptureMode capture;
    CaptureMode thread;
    bool own;    // allowed in the thread that captures
    bool other;  // in another
  };
  using enum CaptureMode;
  const Row rows[] = {{kGlobal, kGlobal, false, false},
                      {kGlobal, kThreadLocal, false, true},
                      {kGlobal, kRelaxed, true, true},
                      {kThreadLocal, kGlobal, false, true},
                      {kThreadLocal, kThreadLocal, false, true},
                      {kThreadLocal, kRelaxed, true, true},
                      {kRelaxed, kGlobal, true, true},
                      {kRelaxed, kThreadLocal, true, true},
                      {kRelaxed, kRelaxed, true, true}};
  const auto expect = [](const Captured& capture, CaptureMode mode,
                         bool is_allowed) {
    const CaptureMode before = exchange_capture_mode(mode);
    CHECK(check_not_capturing() ==
          (is_allowed ? Status::kSuccess : Status::kCaptureUnsupported));
    CHECK(exchange_capture_mode(before) == mode);
    CHECK(capture.is_invalidated() == !is_allowed);
  };
  for (const Row& row : rows) {
    {
      const Captured capture(row.capture);
      expect(capture, row.thread, row.own);
    }
    const Captured capture(row.capture);
    std::thread([&] { expect(capture, row.thread, row.other); }).join();
  }
  CHECK(check_not_capturing() == Status::kSuccess);
}

TEST_CASE("a captured stream that is destroyed takes its capture with it") {
  StreamRef origin = stream_of();
  const StreamRef side = stream_of();
  const EventRef event = event_of();
  REQUIRE(origin->begin_capture(CaptureMode::kGlobal) == Status::kSuccess);
  event->record(*origin);
  side->wait(event);
  origin.reset();
  CHECK(side->capture_state() == CaptureState::kNone);
  CHECK(check_not_capturing() == Status::kSuccess);
}

TEST_CASE("what the next node comes after can be told") {
  const Captured capture;
  Journal journal;
  capture.stream->put(journal.work("a"));
  GraphNode* made = nullptr;
  const GraphRef graph = capture.stream->captured_graph();
  REQUIRE(graph->add(GraphNode{}, {}, &made) == Status::kSuccess);
  CHECK(capture.stream->set_capture_dependencies({made}, true) ==
        Status::kSuccess);
  CHECK(capture.stream->capture_dependencies().size() == 2);
  CHECK(capture.stream->set_capture_dependencies({made}, false) ==
        Status::kSuccess);
  CHECK(capture.stream->capture_dependencies() ==
        std::vector<GraphNode*>{made});
  GraphNode stranger;
  CHECK(capture.stream->set_capture_dependencies({&stranger}, true) ==
        Status::kInvalidValue);
  CHECK(stream_of()->set_capture_dependencies({}, true) ==
        Status::kIllegalState);
}
