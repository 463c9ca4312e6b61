// Buffers of a message, and its Python class.
#include "message.h"

#include <nanobind/stl/string.h>

#include <cstring>
#include <utility>

#include "core/large_buffer.h"
#include "glue.h"
#include "sending.h"

namespace nb = nanobind;

namespace eclosion {
namespace {

constexpr std::uint64_t kWithoutGil = 64 << 10;

// Writable memory of this process under Python's buffer protocol.
struct Memory {
  char* data = nullptr;
  std::uint64_t size = 0;
  std::shared_ptr<void> owner;
};

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  auto& memory = *nb::inst_ptr<Memory>(nb::handle(self));
  return PyBuffer_FillInfo(view, self, memory.data,
                           static_cast<Py_ssize_t>(memory.size), 0, flags);
}

PyType_Slot memory_slots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};

// Copies out of the body, or out of the shared memory.
void fill(Node& node, const Frame& frame, const BufferRow& row, char* to) {
  if (row.shared != 0) {
    node.segment_reader().read(frame, row, to);
  } else if (row.size != 0) {
    std::memcpy(to, frame.body->data() + row.offset, row.size);
  }
}

void fill_for_python(Node& node, const Frame& frame, const BufferRow& row,
                     char* to) {
  if (row.size < kWithoutGil) return fill(node, frame, row, to);
  nb::gil_scoped_release unlocked;
  fill(node, frame, row, to);
}

}  // namespace

PyMessage::PyMessage(std::shared_ptr<Node> node, Frame frame)
    : node_(std::move(node)),
      frame_(std::move(frame)),
      view_(view_of(frame_.header, *frame_.body)) {}

PyMessage::~PyMessage() {
  if (!released_) node_->release(frame_);
}

nb::object PyMessage::buffer_of(const BufferRow& row) {
  if (row.tag == kIsBytes) {
    nb::object bytes = nb::steal(
        PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(row.size)));
    if (!bytes.is_valid()) throw nb::python_error();
    prefer_huge_pages(PyBytes_AS_STRING(bytes.ptr()), row.size);
    fill_for_python(*node_, frame_, row, PyBytes_AS_STRING(bytes.ptr()));
    return bytes;
  }
  Memory memory;
  memory.size = row.size;
  if (row.shared == 0 && frame_.body.use_count() == 1) {
    // Nobody else has this body: its memory is the receiver's.
    auto body = std::const_pointer_cast<Bytes>(frame_.body);
    memory.data = body->data() + row.offset;
    memory.owner = std::move(body);
    return nb::cast(std::move(memory));
  }
  auto copy = std::make_shared<LargeBuffer>(row.size);
  fill_for_python(*node_, frame_, row, copy->data());
  memory.data = copy->data();
  memory.owner = std::move(copy);
  return nb::cast(std::move(memory));
}

nb::list PyMessage::buffers() {
  if (released_)
    throw nb::value_error("the buffers of a message are read once");
  nb::list buffers;
  for (const BufferRow& row : view_.buffers) buffers.append(buffer_of(row));
  released_ = true;
  node_->release(frame_);
  return buffers;
}

nb::object PyMessage::method() {
  if (!method_.is_valid()) {
    method_ = nb::steal(PyUnicode_DecodeUTF8(
        view_.method.data(), static_cast<Py_ssize_t>(view_.method.size()),
        "replace"));
    if (!method_.is_valid()) throw nb::python_error();
  }
  return method_;
}

void PyMessage::reply(int status, nb::handle data, const nb::list& buffers) {
  const FrameHeader& to = header();
  send_reply(*node_, to.source_node, to.request, to.index, status, data,
             buffers);
}

void init_message(nb::module_& m) {
  nb::class_<Memory>(m, "Memory", nb::type_slots(memory_slots),
                     "Memory of this process; it has the buffer protocol.");
  nb::class_<PyMessage>(m, "Message", "A request or a reply.")
      .def_prop_ro("source_node",
                   [](PyMessage& m) { return m.header().source_node; })
      .def_prop_ro("source_actor",
                   [](PyMessage& m) { return m.header().source_actor; })
      .def_prop_ro("target_actor",
                   [](PyMessage& m) { return m.header().target_actor; })
      .def_prop_ro("request", [](PyMessage& m) { return m.header().request; })
      .def_prop_ro("index", [](PyMessage& m) { return m.header().index; })
      .def_prop_ro(
          "status",
          [](PyMessage& m) { return static_cast<int>(m.header().flags); })
      .def_prop_ro("method", &PyMessage::method)
      .def_prop_ro("data",
                   [](PyMessage& m) {
                     return nb::bytes(m.view().data.data(),
                                      m.view().data.size());
                   })
      .def_prop_ro("chain",
                   [](PyMessage& m) {
                     nb::list links;
                     for (const ChainLink& link : m.view().chain)
                       links.append(nb::make_tuple(link.node, link.actor,
                                                   link.request, link.name));
                     return nb::tuple(links);
                   })
      .def_prop_ro("buffer_count",
                   [](PyMessage& m) { return m.view().buffers.size(); })
      .def("buffers", &PyMessage::buffers)
      .def("reply", &PyMessage::reply);
}

}  // namespace eclosion
