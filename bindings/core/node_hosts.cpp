// What a gateway does with other hosts: greets them, finds ways to them, and
// gives them up.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdio>
#include <iterator>
#include <utility>

#include "node.h"

namespace eclosion {
namespace {

// Strangers that may be connected at a time; a new one replaces the oldest.
constexpr std::size_t kMaxStrangers = 64;

std::string hex(NodeId node) {
  char text[20];
  std::snprintf(text, sizeof(text), "%llx",
                static_cast<unsigned long long>(node));
  return text;
}

}  // namespace

void Node::welcome(int fd, const Credentials& credentials,
                   Clock::duration at_most) {
  std::make_shared<Acceptor>(
      loop_, fd,
      [this, credentials, at_most](int socket) {
        greet(std::make_shared<Greeting>(
                  loop_, socket, Role::kAcceptor, id(), credentials,
                  [this](Greeting& done) { greeted(done, 0, ""); }),
              at_most);
      })
      ->start();
}

void Node::dial(int fd, const Credentials& credentials, NodeId expected,
                const std::string& label, Clock::duration at_most) {
  auto greeting =
      std::make_shared<Greeting>(loop_, fd, Role::kDialer, id(), credentials,
                                 [this, expected, label](Greeting& done) {
                                   greeted(done, expected, label);
                                 });
  loop_.post([this, greeting, at_most] { greet(greeting, at_most); });
}

void Node::greet(const std::shared_ptr<Greeting>& greeting,
                 Clock::duration at_most) {
  std::size_t strangers = 0;
  for (const auto& each : greetings_)
    strangers += each->role() == Role::kAcceptor;
  if (greeting->role() == Role::kAcceptor && strangers >= kMaxStrangers) {
    for (const auto& each : greetings_)
      if (each->role() == Role::kAcceptor) {
        auto oldest = each;
        oldest->end("too many others came after it");
        break;
      }
  }
  greetings_.push_back(greeting);
  try {
    greeting->start(at_most);
  } catch (const std::exception& error) {
    greeting->end(error.what());
  }
}

// The connection that follows a greeting, or why there is none.
Node::Taken Node::taken_over(Greeting& greeting) {
  const int fd = greeting.socket();
  if (fd < 0) return {nullptr, "this process may open no more files"};
  try {
    return {connect(fd, greeting.peer(), false, &greeting), ""};
  } catch (const std::system_error& error) {
    return {nullptr, std::string("this process can watch no more sockets: ") +
                         error.what()};
  }
}

// The greeting is over: the peer is another host from here on, or nobody.
void Node::greeted(Greeting& greeting, NodeId expected,
                   const std::string& label) {
  const auto self = greeting.shared_from_this();
  std::erase(greetings_, self);
  const bool dialed = greeting.role() == Role::kDialer;
  const std::string why = objection(greeting, expected);
  const NodeId peer = why.empty() ? greeting.peer() : 0;
  const auto [connection, trouble] =
      why.empty() ? taken_over(greeting) : Taken{};
  if (!connection) {
    const char* kind = greeting.refused() ? "\nrefused\n" : "\nagain\n";
    const std::string& reason = why.empty() ? trouble : why;
    if (dialed) return tell_agent("!undialed", 0, label + kind + reason);
    return tell_agent("!refused", 0, greeting.address() + "\n" + reason);
  }
  if (dialed) {
    tell_agent("!dialed", peer, label);
  } else {
    tell_agent("!arrived", peer, greeting.address());
  }
  connection->begin_with(greeting.rest());
}

std::string Node::objection(const Greeting& greeting, NodeId expected) {
  if (!greeting.why().empty()) return greeting.why();
  const NodeId peer = greeting.peer();
  if (gateway_of(peer) != peer || host_of(peer) == host_of(id()))
    return "the peer says that it is " + hex(peer) +
           ", which is no gateway of another host";
  if (expected != 0 && peer != expected)
    return "host " + hex(peer) + " is at this address, not " + hex(expected);
  if (obituary_of(peer)) return "host " + hex(peer) + " has been given up";
  return "";
}

void Node::route_through(NodeId gateway, NodeId relay) {
  ConnectionPtr way;
  {
    std::lock_guard lock(routes_mutex_);
    const auto found = ways_.find(relay);
    if (found == ways_.end()) return;
    way = found->second;
  }
  open_way(gateway, way);
}

}  // namespace eclosion
