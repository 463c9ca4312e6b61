// Python's buffers, method names and call chains as the core takes them.
#include "sending.h"

#include <nanobind/stl/string.h>

#include <string>
#include <string_view>
#include <utility>

#include "message.h"
#include "waiting.h"

namespace nb = nanobind;

namespace eclosion {
namespace {

constexpr std::size_t kMaxMethod = 1024;

// Keeps the memory of Python's buffers while it is copied.
class Views {
 public:
  Views() = default;
  Views(const Views&) = delete;
  Views& operator=(const Views&) = delete;
  ~Views() {
    for (Py_buffer& view : views_) PyBuffer_Release(&view);
  }
  OutgoingBuffer add(nb::handle exporter, std::uint32_t tag) {
    Py_buffer view;
    if (PyObject_GetBuffer(exporter.ptr(), &view, PyBUF_ANY_CONTIGUOUS) != 0)
      throw nb::python_error();
    views_.push_back(view);
    return {static_cast<const char*>(view.buf),
            static_cast<std::uint64_t>(view.len), 0, false, tag};
  }

 private:
  std::vector<Py_buffer> views_;
};

std::vector<OutgoingBuffer> outgoing(const nb::list& buffers, Views& views) {
  std::vector<OutgoingBuffer> rows;
  for (nb::handle buffer : buffers) {
    // What was `bytes` is made `bytes` again by the receiver.
    PyObject* owner = PyPickleBuffer_Check(buffer.ptr())
                          ? PyPickleBuffer_GetBuffer(buffer.ptr())->obj
                          : buffer.ptr();
    const bool is_bytes = owner != nullptr && PyBytes_CheckExact(owner);
    rows.push_back(views.add(buffer, is_bytes ? kIsBytes : kIsMemory));
  }
  return rows;
}

std::string_view text(nb::handle object) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (data == nullptr) throw nb::python_error();
  return {data, static_cast<std::size_t>(size)};
}

std::vector<ChainLink> chain_of(const nb::tuple& links) {
  std::vector<ChainLink> chain;
  for (nb::handle link : links) {
    auto row = nb::cast<nb::tuple>(link);
    chain.push_back({nb::cast<NodeId>(row[0]), nb::cast<ActorId>(row[1]),
                     nb::cast<std::uint64_t>(row[2]),
                     nb::cast<std::string>(row[3])});
  }
  return chain;
}

// Sends when there is room; throws Full at the deadline, and python_error when
// a signal's handler raised.
void send_message(Node& node, const Outgoing& message,
                  const std::shared_ptr<Call>& call,
                  Clock::time_point deadline) {
  std::unique_ptr<Node::Prepared> prepared;
  const bool large = !message.buffers.empty();
  const bool room = wait_for(
      node.segments().gate(), deadline,
      [&] {
        if (!large) {
          prepared = node.try_prepare(message);
        } else {
          nb::gil_scoped_release unlocked;
          prepared = node.try_prepare(message);
        }
        return prepared != nullptr;
      },
      &node.loop());
  if (!room) throw Full("shared memory");
  if (!wait_for(
          node.windows().gate(), deadline,
          [&] { return node.try_send(*prepared, call); }, &node.loop()))
    throw Full("the mailbox");
  if (!large) return;
  nb::gil_scoped_release unlocked;
  prepared->write_rest();
}

struct Sending {
  Views views;
  std::vector<ChainLink> chain;
  Outgoing message;

  Sending(const PyTargets& targets, ActorId source, nb::handle method,
          const nb::tuple& links, nb::handle data, const nb::list& buffers) {
    chain = chain_of(links);
    message.targets = targets.rows;
    message.source = source;
    message.method = text(method);
    if (message.method.size() > kMaxMethod)
      throw nb::value_error(
          "the name of an endpoint is longer than 1024 bytes");
    message.chain = chain;
    const OutgoingBuffer bytes = views.add(data, 0);
    message.data = {bytes.memory, bytes.size};
    message.buffers = outgoing(buffers, views);
  }
};

}  // namespace

PyTargets make_targets(const std::vector<NodeId>& nodes,
                       const std::vector<ActorId>& actors) {
  if (nodes.size() != actors.size())
    throw nb::value_error("as many actors as nodes are needed");
  PyTargets targets;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    targets.rows.push_back({nodes[i], actors[i], i});
  return targets;
}

std::shared_ptr<Call> send_call(Node& node, const PyTargets& targets,
                                ActorId source, nb::handle method,
                                const nb::tuple& chain, nb::handle data,
                                const nb::list& buffers, double timeout,
                                const std::string& caller) {
  Sending sending(targets, source, method, chain, data, buffers);
  auto result = node.new_call(targets.rows);
  if (!caller.empty())
    sending.chain.push_back({node.id(), source, result->id(), caller});
  sending.message.chain = sending.chain;
  send_message(node, sending.message, result, deadline_of(timeout));
  return result;
}

void send_cast(Node& node, const PyTargets& targets, ActorId source,
               nb::handle method, const nb::tuple& chain, nb::handle data,
               const nb::list& buffers, double timeout) {
  Sending sending(targets, source, method, chain, data, buffers);
  send_message(node, sending.message, nullptr, deadline_of(timeout));
}

void send_reply(Node& node, NodeId caller, std::uint64_t request,
                std::uint32_t index, int status, nb::handle data,
                const nb::list& buffers) {
  FrameHeader header;
  header.source_node = caller;
  header.request = request;
  header.index = index;
  Views views;
  const OutgoingBuffer bytes = views.add(data, 0);
  std::vector<OutgoingBuffer> rows = outgoing(buffers, views);
  std::string_view content(bytes.memory, bytes.size);
  if (rows.empty())
    return node.reply(header, static_cast<ReplyStatus>(status), content);
  nb::gil_scoped_release unlocked;
  node.reply(header, static_cast<ReplyStatus>(status), content,
             std::move(rows));
}

}  // namespace eclosion
