// core/node: strangers at the door of a host, many or malicious, and what they
// cannot do to others.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include "hosts.h"

using namespace nodes;
using namespace hosts;

namespace {

// UBSan looks at memory through a pipe, which it cannot have here either: then
// every object is a fault to it. The build with TSan runs what is skipped.
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
#define NEEDS_NO_FILES *doctest::skip(true)
#endif
#endif
#ifndef NEEDS_NO_FILES
#define NEEDS_NO_FILES
#endif

class NoMoreFiles {
 public:
  NoMoreFiles() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit none = before_;
    none.rlim_cur = 0;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;
  ~NoMoreFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("a stranger that says nothing is cut off, and told of") {
  Host host(node_id(2, 0), credentials(kSecret), std::chrono::milliseconds(50));
  Peer stranger(connected(host.address));
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
  const int silent = listening();
  host.node->dial(connecting(own_address(silent)), credentials(kSecret), 0,
                  "label", kPatience);
  host.node->loop().run_and_wait([] {}, kPatience);
  std::vector<Peer> strangers;
  for (std::size_t i = 0; i < kMost; ++i)
    strangers.emplace_back(connected(host.address));
  const std::string oldest = address_text(strangers[0].fd());
  const std::string second = address_text(strangers[1].fd());
  strangers.emplace_back(connected(host.address));
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
  Peer last(connected(host.address));
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

TEST_CASE(
    "who comes when no more files may be opened is served "
    "later" NEEDS_NO_FILES) {
  Host host(node_id(2, 0));
  auto dialer = [](NodeId id) {
    return channel(Role::kDialer, id, credentials(kSecret));
  };
  auto early = dialer(node_id(1, 0));
  auto late = dialer(node_id(3, 0));
  Peer first(connected(host.address));
  const std::string address = address_text(first.fd());
  first.write(early.start());
  const Data hello = first.read();
  const int waiting = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  {
    const NoMoreFiles none;
    connect(waiting, host.address);
    first.write(early.feed(hello).output);
    CHECK((next(*host.node) ==
           News{"!refused", 0,
                address + "\nthis process may open no more files"}));
    for (int i = 0; i < 2; ++i)
      host.node->loop().run_and_wait([] {}, kPatience);
    CHECK(no_news(*host.node));
  }
  Peer second(waiting);
  shake(second, late);
  CHECK(late.peer() == host.node->id());
  CHECK(next(*host.node).what == "!arrived");
}

TEST_CASE("garbage ends its own connection alone") {
  Host host(node_id(2, 0));
  const auto node = started(node_id(1, 0));
  dial(*node, host);
  CHECK(next(*host.node).what == "!arrived");
  Peer stranger(connected(host.address));
  stranger.write(bytes_of("GET / HTTP/1.1\r\n\r\n"));
  CHECK(stranger.read_to_end().empty());
  CHECK(next(*host.node).what == "!refused");
  send(*node, {{{host.node->id(), 7, 0}}, "still"});
  CHECK(data_of(take(*host.node, 7)) == "still");
}

TEST_CASE("a node that stops in the middle of greetings ends them") {
  const int silent = listening();
  Host host(node_id(2, 0));
  host.node->dial(connecting(own_address(silent)), credentials(kSecret), 0,
                  "label", kPatience);
  Peer stranger(connected(host.address));
  host.node->loop().run_and_wait([] {}, kPatience);
  host.node->stop();
  host.node.reset();
  CHECK(stranger.read_to_end().empty());
  ::close(silent);
}
