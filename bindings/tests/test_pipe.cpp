// core/pipe: output as it comes, the newest of it, and its end.
#include "pipe.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <string>
#include <utility>

using eclosion::Loop;
using eclosion::Notifier;
using eclosion::OutputPipe;

namespace {

struct Output {
  Loop loop;
  std::shared_ptr<Notifier> notifier = std::make_shared<Notifier>();
  std::shared_ptr<OutputPipe> pipe;
  int writer = -1;

  explicit Output(std::size_t capacity, bool watched = true) {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    writer = ends[1];
    pipe = std::make_shared<OutputPipe>(loop, ends[0], capacity, notifier, 6);
    loop.start();
    if (watched) loop.add(ends[0], pipe);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() {
    end();
    loop.stop();
  }
  void write(const std::string& text) const {
    REQUIRE(::write(writer, text.data(), text.size()) ==
            static_cast<ssize_t>(text.size()));
  }
  void end() {
    if (writer >= 0) ::close(std::exchange(writer, -1));
  }
  // All until so much has come, or the end.
  OutputPipe::Taken take(std::size_t size) const {
    OutputPipe::Taken all;
    while (all.bytes.size() + all.dropped < size && !all.ended) {
      pollfd entry{notifier->fileno(), POLLIN, 0};
      REQUIRE(::poll(&entry, 1, 20'000) == 1);
      for (const auto token : notifier->drain()) CHECK(token == 6);
      OutputPipe::Taken part = pipe->take();
      all.bytes += part.bytes;
      all.dropped += part.dropped;
      all.ended = part.ended;
    }
    return all;
  }
};

}  // namespace

TEST_CASE("output comes as it is written, and then its end") {
  Output output(1000);
  output.write("one ");
  CHECK(output.take(4).bytes == "one ");
  output.write("two");
  const auto second = output.take(3);
  CHECK(second.bytes == "two");
  CHECK_FALSE(second.ended);
  output.write("last");
  output.end();
  const auto last = output.take(~std::size_t{0});
  CHECK(last.bytes == "last");
  CHECK(last.ended);
  CHECK(last.dropped == 0);
}

TEST_CASE("a writer does not wait for who looks, and the newest is kept") {
  Output output(1000);
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += static_cast<char>('a' + i % 26);
  // More than the pipe itself holds.
  for (int i = 0; i < 20; ++i) output.write(text);
  output.end();
  OutputPipe::Taken all;
  while (!all.ended) {
    OutputPipe::Taken part = output.take(~std::size_t{0});
    all.dropped += part.dropped;
    all.bytes += part.bytes;
    all.ended = part.ended;
  }
  CHECK(all.bytes.size() + all.dropped == 20 * text.size());
  CHECK(all.dropped > 0);
  CHECK(text.ends_with(all.bytes.substr(all.bytes.size() - 1000)));
}

TEST_CASE(
    "draining reads what a dead process left, though others may write on") {
  Output output(100'000, false);
  output.write(std::string(10'000, 'x'));
  output.pipe->drain();
  const auto taken = output.pipe->take();
  CHECK(taken.bytes.size() == 10'000);
  CHECK_FALSE(taken.ended);
  output.write("y");
  output.end();
  output.pipe->drain();
  const auto rest = output.pipe->take();
  CHECK(rest.bytes == "y");
  CHECK(rest.ended);
}
