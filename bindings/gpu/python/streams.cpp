// Python's view of streams, events and graphs.
#include <nanobind/nanobind.h>

#include "../graph.h"
#include "../stream.h"
#include "glue.h"
#include "held.h"

namespace nb = nanobind;

namespace eclosion::gpu {
namespace {

template <typename Handle>
std::uintptr_t number(Handle handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

void init_stream(nb::module_& m) {
  nb::class_<Stream>(m, "Stream", "A queue of work on one device.")
      .def(nb::init<int, int>(), nb::arg("device"), nb::arg("priority") = 0,
           Unlocked())
      .def_prop_ro("handle",
                   [](const Stream& self) { return number(self.get()); })
      .def_prop_ro("device", &Stream::device)
      .def("synchronize", &Stream::synchronize, Unlocked())
      .def("is_done", &Stream::is_done, Unlocked())
      .def("is_recording", &Stream::is_recording, Unlocked())
      .def("wait", &Stream::wait, nb::arg("event"), Unlocked());
}

void init_event(nb::module_& m) {
  nb::class_<Event>(m, "Event", "A point in a stream's work.")
      .def(nb::init<int, bool>(), nb::arg("device"),
           nb::arg("has_time") = false, Unlocked())
      .def_prop_ro("handle",
                   [](const Event& self) { return number(self.get()); })
      .def("record", &Event::record, nb::arg("stream"), Unlocked())
      .def("synchronize", &Event::synchronize, Unlocked())
      .def("is_done", &Event::is_done, Unlocked())
      .def("elapsed_ms", &Event::elapsed_ms, nb::arg("start"), Unlocked());
}

void init_graph(nb::module_& m) {
  nb::class_<Held<Graph>>(m, "Graph", "Work recorded from a stream.")
      .def(
          "launch",
          [](const Held<Graph>& self, const Stream& stream) {
            self->launch(stream);
          },
          nb::arg("stream"), Unlocked())
      .def_prop_ro("node_count",
                   [](const Held<Graph>& self) { return self->node_count(); });
  nb::class_<Capture>(m, "Capture", "Records what is put into a stream.")
      .def(nb::init<const Stream&>(), nb::arg("stream"), nb::keep_alive<1, 2>(),
           Unlocked())
      .def(
          "end", [](Capture& self) { return Held<Graph>(self.end()); },
          Unlocked())
      .def("cancel", &Capture::cancel, Unlocked());
}

}  // namespace

void init_streams(nb::module_& m) {
  init_stream(m);
  init_event(m);
  init_graph(m);
}

}  // namespace eclosion::gpu
