// Python's view of core/host_kernels.
#include "core/host_kernels.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <tuple>

#include "glue.h"

namespace nb = nanobind;

namespace eclosion {
namespace {

using Unlocked = nb::call_guard<nb::gil_scoped_release>;
using Rows =
    std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>>;

void* at(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

std::vector<Segment> segments_of(const Rows& rows) {
  std::vector<Segment> segments;
  segments.reserve(rows.size());
  for (const auto& [address, offset, size] : rows) {
    segments.push_back({address, offset, size});
  }
  return segments;
}

}  // namespace

void init_host_kernels(nb::module_& m) {
  m.def(
      "checksum",
      [](std::uintptr_t source, std::size_t size) {
        return checksum(at(source), size);
      },
      nb::arg("source"), nb::arg("nbytes"), Unlocked());
  m.def(
      "pack",
      [](std::uintptr_t buffer, const Rows& rows) {
        pack(at(buffer), segments_of(rows));
      },
      nb::arg("buffer"), nb::arg("segments"), Unlocked());
  m.def(
      "unpack",
      [](std::uintptr_t buffer, const Rows& rows) {
        unpack(at(buffer), segments_of(rows));
      },
      nb::arg("buffer"), nb::arg("segments"), Unlocked());
  m.def(
      "accumulate",
      [](std::uintptr_t target, const std::vector<std::uintptr_t>& sources,
         double scale, int element, std::size_t count) {
        std::vector<const void*> pointers;
        for (const std::uintptr_t source : sources) {
          pointers.push_back(at(source));
        }
        accumulate(at(target), pointers, scale, element_of(element), count);
      },
      nb::arg("target"), nb::arg("sources"), nb::arg("scale"),
      nb::arg("element"), nb::arg("count"), Unlocked());
}

}  // namespace eclosion
