// Python's view of the kernels.
#include "../kernels.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "glue.h"

namespace nb = nanobind;

namespace eclosion::gpu {
namespace {

const Segment* segments_at(std::uintptr_t address) {
  return reinterpret_cast<const Segment*>(address);
}

}  // namespace

void init_kernels(nb::module_& m) {
  m.attr("MAX_SOURCES") = kMaxSources;
  m.def("checksum", &checksum, nb::arg("to"), nb::arg("source"),
        nb::arg("nbytes"), nb::arg("stream"), Unlocked());
  m.def(
      "pack",
      [](std::uintptr_t buffer, std::uintptr_t segments, std::size_t count,
         const Stream& stream) {
        pack(buffer, segments_at(segments), count, stream);
      },
      nb::arg("buffer"), nb::arg("segments"), nb::arg("count"),
      nb::arg("stream"), Unlocked());
  m.def(
      "unpack",
      [](std::uintptr_t buffer, std::uintptr_t segments, std::size_t count,
         const Stream& stream) {
        unpack(buffer, segments_at(segments), count, stream);
      },
      nb::arg("buffer"), nb::arg("segments"), nb::arg("count"),
      nb::arg("stream"), Unlocked());
  m.def(
      "accumulate",
      [](std::uintptr_t target, const std::vector<std::uintptr_t>& sources,
         double scale, int element, std::size_t count, const Stream& stream) {
        accumulate(target, sources, scale, element_of(element), count, stream);
      },
      nb::arg("target"), nb::arg("sources"), nb::arg("scale"),
      nb::arg("element"), nb::arg("count"), nb::arg("stream"), Unlocked());
  m.def(
      "accumulate_many",
      [](std::uintptr_t target, std::uintptr_t table, std::size_t number,
         double scale, int element, std::size_t count, const Stream& stream) {
        accumulate_many(target, reinterpret_cast<const std::uint64_t*>(table),
                        number, scale, element_of(element), count, stream);
      },
      nb::arg("target"), nb::arg("table"), nb::arg("number"), nb::arg("scale"),
      nb::arg("element"), nb::arg("count"), nb::arg("stream"), Unlocked());
}

}  // namespace eclosion::gpu
