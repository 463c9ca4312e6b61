// Python's view of core/host_kernels, and of arrays that others hand over.
#include "core/host_kernels.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <stdexcept>
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

using Bytes = nb::ndarray<nb::array_api, std::uint8_t, nb::ndim<1>>;

Bytes bytes_of(nb::handle owner, std::uintptr_t address, std::size_t size) {
  const std::size_t shape[] = {size};
  return Bytes(at(address), 1, shape, owner);
}

// Any array that speaks DLPack or the buffer protocol, read-only ones too.
using AnyArray = nb::ndarray<nb::ro>;

nb::tuple range_of(const AnyArray& array) {
  std::size_t expected = 1;
  for (std::size_t d = array.ndim(); d-- > 0;) {
    if (array.shape(d) != 1 &&
        array.stride(d) != static_cast<std::int64_t>(expected)) {
      throw std::invalid_argument(
          "the array is not contiguous in C order; make it so first");
    }
    expected *= array.shape(d);
  }
  return nb::make_tuple(reinterpret_cast<std::uintptr_t>(array.data()),
                        array.nbytes(), array.device_type(), array.device_id());
}

}  // namespace

void init_host_kernels(nb::module_& m) {
  m.def("range_of", &range_of, nb::arg("array"),
        nb::sig("def range_of(array: object) -> tuple[int, int, int, int]"));
  m.def("bytes_of", &bytes_of, nb::arg("owner"), nb::arg("address"),
        nb::arg("nbytes"));
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
