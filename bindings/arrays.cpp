// Arrays that others hand over as ranges of memory, and memory as an array.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <stdexcept>

#include "glue.h"

namespace nb = nanobind;

namespace eclosion {
namespace {

constexpr int kHost = nb::device::cpu::value;

// address, bytes, DLPack's device kind, and what has to live as long as they
// are used.
nb::tuple range(const void* address, std::size_t size, int kind,
                nb::handle owner) {
  return nb::make_tuple(reinterpret_cast<std::uintptr_t>(address), size, kind,
                        owner);
}

struct Release {
  void operator()(Py_buffer* view) const noexcept {
    PyBuffer_Release(view);
    delete view;
  }
};

// nanobind reads the strides of a view, which ctypes leaves null, and refuses
// formats that it does not know: bytes need neither. While the owner lives, a
// bytearray cannot be resized nor a map closed.
nb::tuple range_of_buffer(nb::handle exporter, bool writable) {
  auto raw = std::make_unique<Py_buffer>();
  const int flags = writable ? PyBUF_CONTIG : PyBUF_CONTIG_RO;
  if (PyObject_GetBuffer(exporter.ptr(), raw.get(), flags) != 0) {
    throw nb::python_error();
  }
  std::unique_ptr<Py_buffer, Release> view(raw.release());
  const nb::capsule owner(view.get(), [](void* held) noexcept {
    Release()(static_cast<Py_buffer*>(held));
  });
  const Py_buffer& held = *view.release();
  return range(held.buf, static_cast<std::size_t>(held.len), kHost, owner);
}

template <typename Array>
void check_contiguous(const Array& array) {
  if (array.size() == 0) return;
  std::size_t expected = 1;
  for (std::size_t d = array.ndim(); d-- > 0;) {
    if (array.shape(d) != 1 &&
        array.stride(d) != static_cast<std::int64_t>(expected)) {
      throw std::invalid_argument(
          "the array is not contiguous in C order; make it so first");
    }
    expected *= array.shape(d);
  }
}

template <typename... Access>
nb::tuple range_of_as(nb::handle capsule) {
  using Array = nb::ndarray<Access...>;
  auto held = std::make_unique<Array>();
  if (!nb::try_cast(capsule, *held)) {
    throw std::invalid_argument(
        sizeof...(Access) == 0
            ? "the array is read-only; give one that can be written"
            : "the array cannot be read as DLPack describes it");
  }
  check_contiguous(*held);
  const nb::capsule owner(held.get(), [](void* array) noexcept {
    delete static_cast<Array*>(array);
  });
  const Array& array = *held.release();
  return range(array.data(), array.nbytes(), array.device_type(), owner);
}

// The capsule is used up.
nb::tuple range_of_dlpack(nb::handle capsule, bool writable) {
  return writable ? range_of_as<>(capsule) : range_of_as<nb::ro>(capsule);
}

using Bytes = nb::ndarray<nb::array_api, std::uint8_t, nb::ndim<1>>;

Bytes bytes_of(nb::handle owner, std::uintptr_t address, std::size_t size) {
  const std::size_t shape[] = {size};
  return Bytes(reinterpret_cast<void*>(address), 1, shape, owner);
}

}  // namespace

void init_arrays(nb::module_& m) {
  m.def("range_of_buffer", &range_of_buffer, nb::arg("exporter"),
        nb::arg("writable"));
  m.def("range_of_dlpack", &range_of_dlpack, nb::arg("capsule"),
        nb::arg("writable"));
  m.def("bytes_of", &bytes_of, nb::arg("owner"), nb::arg("address"),
        nb::arg("nbytes"));
}

}  // namespace eclosion
