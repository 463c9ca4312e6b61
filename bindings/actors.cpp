// Python's view of the core of actors: nodes, mailboxes, calls.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/node.h"
#include "core/pipe.h"
#include "glue.h"
#include "message.h"
#include "sending.h"
#include "waiting.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace eclosion {
namespace {

using MessagePtr = std::unique_ptr<PyMessage>;

MessagePtr message_of(const std::shared_ptr<Node>& node,
                      std::optional<Frame> frame) {
  if (!frame) return nullptr;
  return std::make_unique<PyMessage>(node, std::move(*frame));
}

// Ends with the last reference to the receiving end of a channel.
struct OpenChannel {
  std::shared_ptr<Node> node;
  ActorId channel;

  OpenChannel(std::shared_ptr<Node> of, ActorId opened)
      : node(std::move(of)), channel(opened) {}
  OpenChannel(const OpenChannel&) = delete;
  OpenChannel& operator=(const OpenChannel&) = delete;
  ~OpenChannel() { node->drop_mailbox(channel); }
};

// A mailbox with its node, which learns of what is taken.
struct PyMailbox {
  std::shared_ptr<Node> node;
  std::shared_ptr<Mailbox> mailbox;
  std::shared_ptr<OpenChannel> channel = nullptr;

  MessagePtr take() {
    auto frame = mailbox->take();
    if (frame) node->taken(*frame);
    return message_of(node, std::move(frame));
  }
  MessagePtr receive(std::optional<double> timeout) {
    MessagePtr message;
    wait_for(
        mailbox->gate(), deadline_of(timeout),
        [&] {
          message = take();
          return message != nullptr || mailbox->closed();
        },
        helped());
    return message;
  }
  // The agent's thread waits all the time, and rarely for anything urgent.
  [[nodiscard]] Loop* helped() const {
    return mailbox->id() == kAgent ? nullptr : &node->loop();
  }
};

struct PyCall {
  std::shared_ptr<Node> node;
  std::shared_ptr<Call> call;

  PyCall(std::shared_ptr<Node> of, std::shared_ptr<Call> made)
      : node(std::move(of)), call(std::move(made)) {}
  PyCall(const PyCall&) = delete;
  PyCall& operator=(const PyCall&) = delete;
  ~PyCall() { node->forget_call(call->id()); }

  bool wait(std::optional<double> timeout) {
    return wait_for(
        call->gate(), deadline_of(timeout), [&] { return call->settled(); },
        &node->loop());
  }
  MessagePtr problem() { return message_of(node, call->problem()); }
  MessagePtr next(std::optional<double> timeout) {
    std::optional<Frame> frame;
    wait_for(
        call->gate(), deadline_of(timeout),
        [&] {
          frame = call->next();
          return frame.has_value() || call->finished();
        },
        &node->loop());
    return message_of(node, std::move(frame));
  }
  nb::list take() {
    nb::list messages;
    for (Frame& frame : call->take())
      messages.append(std::make_unique<PyMessage>(node, std::move(frame)));
    return messages;
  }
};

NodeSettings settings_of(const nb::dict& values) {
  NodeSettings settings;
  auto number = [&](const char* name, std::uint64_t& to) {
    if (values.contains(name)) to = nb::cast<std::uint64_t>(values[name]);
  };
  auto seconds = [&](const char* name, Clock::duration& to) {
    if (values.contains(name)) to = duration_of(nb::cast<double>(values[name]));
  };
  number("max_frame", settings.max_frame);
  number("shared_memory_threshold", settings.shared_memory_threshold);
  number("shared_memory_limit", settings.shared_memory_limit);
  number("mailbox_capacity", settings.mailbox_capacity);
  number("mailbox_bytes", settings.mailbox_bytes);
  number("cast_fanout", settings.cast_fanout);
  seconds("heartbeat_interval", settings.heartbeat_interval);
  seconds("heartbeat_timeout", settings.heartbeat_timeout);
  seconds("eof_grace", settings.eof_grace);
  return settings;
}

// Nothing of a secret can be read again, and it has no text that shows it.
std::unique_ptr<Credentials> make_credentials(const nb::bytes& secret,
                                              const nb::object& files) {
  auto credentials = std::make_unique<Credentials>();
  const auto* bytes = reinterpret_cast<const std::byte*>(secret.c_str());
  credentials->secret.assign(bytes, bytes + secret.size());
  if (!credentials->secret.empty())
    Handshake::require_long(credentials->secret);
  if (!files.is_none()) {
    auto row = nb::cast<nb::tuple>(files);
    credentials->identity = TlsIdentity::load({nb::cast<std::string>(row[0]),
                                               nb::cast<std::string>(row[1]),
                                               nb::cast<std::string>(row[2])});
  }
  return credentials;
}

void init_credentials(nb::module_& m) {
  nb::class_<Credentials>(m, "Credentials",
                          "What a host proves to others, and asks of them.");
  m.def("make_credentials", &make_credentials, "secret"_a,
        "files"_a = nb::none());
  m.def("tls_unavailable", &tls_unavailable);
  m.attr("MIN_SECRET") = Handshake::kMinSecretSize;
  nb::exception<TlsError>(m, "TlsError");
}

void init_node(nb::module_& m) {
  nb::class_<Node>(m, "Node", "A process of a running program.")
      .def_prop_ro("id", &Node::id)
      .def("start", &Node::start)
      .def("stop", &Node::stop, nb::call_guard<nb::gil_scoped_release>())
      .def("adopt", &Node::adopt, "fd"_a, "peer"_a, "unix_socket"_a)
      .def("listen", &Node::listen, "fd"_a)
      .def("watch", &Node::watch, "node"_a)
      .def("disconnect", &Node::disconnect, "peer"_a)
      .def("bury",
           [](Node& node, NodeId dead, const nb::bytes& obituary) {
             const std::string words(obituary.c_str(), obituary.size());
             nb::gil_scoped_release unlocked;
             node.bury(dead, words);
           })
      .def("bury_host",
           [](Node& node, NodeId gateway, const nb::bytes& obituary) {
             const std::string words(obituary.c_str(), obituary.size());
             nb::gil_scoped_release unlocked;
             node.bury_host(gateway, words);
           })
      .def("revive", &Node::revive, "node"_a)
      .def(
          "welcome",
          [](Node& node, int fd, const Credentials& credentials,
             double at_most) {
            node.welcome(fd, credentials, duration_of(at_most));
          },
          "fd"_a, "credentials"_a, "at_most"_a)
      .def(
          "dial",
          [](Node& node, int fd, const Credentials& credentials,
             NodeId expected, const std::string& label, double at_most) {
            node.dial(fd, credentials, expected, label, duration_of(at_most));
          },
          "fd"_a, "credentials"_a, "expected"_a, "label"_a, "at_most"_a)
      .def("set_root", &Node::set_root, "gateway"_a)
      .def("route_through", &Node::route_through, "gateway"_a, "relay"_a)
      .def("obituary_of",
           [](Node& node, NodeId dead) -> nb::object {
             auto words = node.obituary_of(dead);
             if (!words) return nb::none();
             return nb::bytes(words->data(), words->size());
           })
      .def("holdings",
           [](Node& node) {
             nb::dict found;
             for (const auto& [name, count] : node.holdings())
               found[name] = count;
             return found;
           })
      .def("close_mailbox",
           [](Node& node, ActorId actor, const nb::bytes& failure) {
             node.close_mailbox(actor,
                                std::string(failure.c_str(), failure.size()));
           })
      .def(
          "tell",
          [](Node& node, ActorId actor, const std::string& method,
             const nb::bytes& data, NodeId about) {
            node.tell(actor, method, about, {data.c_str(), data.size()});
          },
          "actor"_a, "method"_a, "data"_a = nb::bytes("", 0), "about"_a = 0)
      .def("cast", &send_cast)
      .def("reply", &send_reply);
  m.def("make_node", [](NodeId id, const nb::dict& values) {
    NodeSettings settings = settings_of(values);
    settings.id = id;
    return std::make_shared<Node>(settings);
  });
  m.def("open_mailbox", [](const std::shared_ptr<Node>& node, ActorId actor) {
    return PyMailbox{node, node->open_mailbox(actor)};
  });
  m.def("open_channel", [](const std::shared_ptr<Node>& node, ActorId number) {
    const ActorId channel = number | kChannel;
    return PyMailbox{node, node->open_mailbox(channel),
                     std::make_shared<OpenChannel>(node, channel)};
  });
  m.def("call", [](const std::shared_ptr<Node>& node, const PyTargets& targets,
                   ActorId source, nb::handle method, const nb::tuple& chain,
                   nb::handle data, const nb::list& buffers, double timeout,
                   const std::string& caller) {
    return std::make_unique<PyCall>(
        node, send_call(*node, targets, source, method, chain, data, buffers,
                        timeout, caller));
  });
  m.def("socket_name", [](NodeId node) {
    const std::string name = std::string(1, '\0') + socket_name(node);
    return nb::bytes(name.data(), name.size());
  });
}

void init_waiting(nb::module_& m) {
  nb::class_<PyTargets>(m, "Targets", "The actors that a message goes to.")
      .def("__len__",
           [](const PyTargets& targets) { return targets.rows.size(); });
  m.def("make_targets", &make_targets, "nodes"_a, "actors"_a);
  nb::class_<Notifier>(m, "Notifier",
                       "A descriptor that is readable when there is news.")
      .def(nb::new_([] { return std::make_shared<Notifier>(); }))
      .def("fileno", &Notifier::fileno)
      .def("tell", &Notifier::tell, "token"_a)
      .def("drain", &Notifier::drain);
  nb::class_<PyMailbox>(m, "Mailbox", "Messages for one actor, in order.")
      .def("take", &PyMailbox::take)
      .def("receive", &PyMailbox::receive, "timeout"_a.none())
      .def("notify",
           [](PyMailbox& box, std::shared_ptr<Notifier> notifier,
              std::uint64_t token) {
             box.mailbox->notify(std::move(notifier), token);
           })
      .def("begin_wait", [](PyMailbox& box,
                            std::uint64_t id) { box.mailbox->begin_wait(id); })
      .def("end_wait",
           [](PyMailbox& box, std::uint64_t id) { box.mailbox->end_wait(id); })
      .def("wake", [](PyMailbox& box) { box.mailbox->wake(); })
      .def_prop_ro("id", [](PyMailbox& box) { return box.mailbox->id(); })
      .def_prop_ro("news",
                   [](PyMailbox& box) { return box.mailbox->gate().count(); })
      .def(
          "wait",
          [](PyMailbox& box, std::uint32_t seen,
             std::optional<double> timeout) {
            Gate& gate = box.mailbox->gate();
            return wait_for(
                gate, deadline_of(timeout),
                [&] { return gate.count() != seen; }, box.helped());
          },
          "seen"_a, "timeout"_a.none())
      .def_prop_ro("closed",
                   [](PyMailbox& box) { return box.mailbox->closed(); })
      .def("__len__", [](PyMailbox& box) { return box.mailbox->size(); });
  nb::class_<PyCall>(m, "Call", "A request and its replies.")
      .def_prop_ro("id", [](PyCall& call) { return call.call->id(); })
      .def_prop_ro("settled", [](PyCall& call) { return call.call->settled(); })
      .def("wait", &PyCall::wait, "timeout"_a.none())
      .def("problem", &PyCall::problem)
      .def("next", &PyCall::next, "timeout"_a.none())
      .def("take", &PyCall::take)
      .def("notify", [](PyCall& call, std::shared_ptr<Notifier> notifier,
                        std::uint64_t token) {
        call.call->notify(std::move(notifier), token);
      });
}

void init_output(nb::module_& m) {
  nb::class_<OutputPipe>(m, "OutputPipe", "The output of another process.")
      .def("drain", &OutputPipe::drain,
           nb::call_guard<nb::gil_scoped_release>())
      .def("take", [](OutputPipe& pipe) {
        OutputPipe::Taken taken = pipe.take();
        return nb::make_tuple(nb::bytes(taken.bytes.data(), taken.bytes.size()),
                              taken.dropped, taken.ended);
      });
  m.def("watch_output",
        [](Node& node, int fd, std::size_t capacity,
           std::shared_ptr<Notifier> notifier, std::uint64_t token) {
          auto pipe = std::make_shared<OutputPipe>(node.loop(), fd, capacity,
                                                   std::move(notifier), token);
          node.loop().add(fd, pipe);
          return pipe;
        });
}

}  // namespace

void init_actors(nb::module_& m) {
  nb::exception<Full>(m, "FullError");
  nb::exception<SenderDied>(m, "SenderDiedError");
  init_message(m);
  init_waiting(m);
  init_credentials(m);
  init_node(m);
  init_output(m);
}

}  // namespace eclosion
