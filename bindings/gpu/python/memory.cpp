// Python's view of memory, and the two ways in which arrays are handed over.
#include "../memory.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "../virtual_memory.h"
#include "glue.h"
#include "held.h"

namespace nb = nanobind;

namespace eclosion::gpu {
namespace {

using HeldMemory = Held<Memory>;
using Bytes = nb::ndarray<nb::array_api, std::uint8_t, nb::ndim<1>>;

template <typename T>
Bytes as_array(nb::handle self, const T& memory) {
  const bool is_host = memory.device() < 0;
  const std::size_t shape[] = {memory.size()};
  return Bytes(reinterpret_cast<void*>(memory.address()), 1, shape, self,
               nullptr, nb::dtype<std::uint8_t>(),
               is_host ? nb::device::cpu::value : kDlpackDevice,
               is_host ? 0 : memory.device());
}

template <typename T>
nb::dict array_interface(const T& memory) {
  nb::dict fields;
  fields["shape"] = nb::make_tuple(memory.size());
  fields["typestr"] = "|u1";
  fields["data"] = nb::make_tuple(memory.address(), false);
  fields["strides"] = nb::none();
  fields["version"] = 3;
  return fields;
}

// What memory is to others: a range of bytes.
template <typename T>
nb::class_<Held<T>> range_class(nb::module_& m, const char* name,
                                const char* doc) {
  using Self = Held<T>;
  return nb::class_<Self>(m, name, doc)
      .def_prop_ro("address", [](const Self& self) { return self->address(); })
      .def_prop_ro("nbytes", [](const Self& self) { return self->size(); })
      .def_prop_ro("device", [](const Self& self) { return self->device(); })
      .def(
          "__dlpack__",
          [](nb::handle self, nb::kwargs options) {
            nb::object array =
                nb::cast(as_array(self, *nb::cast<const Self&>(self)));
            return array.attr("__dlpack__")(**options);
          },
          nb::arg("options"))
      .def("__dlpack_device__",
           [](const Self& self) {
             const bool is_host = self->device() < 0;
             return nb::make_tuple(
                 is_host ? nb::device::cpu::value : kDlpackDevice,
                 is_host ? 0 : self->device());
           })
      .def_prop_ro("__cuda_array_interface__", [](const Self& self) {
        if (self->device() < 0) {
          throw nb::attribute_error("memory of the host has no such interface");
        }
        return array_interface(*self);
      });
}

void init_pool(nb::module_& m) {
  nb::class_<Held<Pool>>(m, "Pool", "Hands out memory in a stream's order.")
      .def(
          "__init__",
          [](Held<Pool>* self, int device, std::size_t keep) {
            std::unique_ptr<Pool> pool;
            {
              nb::gil_scoped_release unlocked;
              pool = std::make_unique<Pool>(device, keep);
            }
            new (self) Held<Pool>(std::move(pool));
          },
          nb::arg("device"), nb::arg("keep") = SIZE_MAX)
      .def(
          "allocate",
          [](const Held<Pool>& self, std::size_t size, const Stream& stream) {
            return HeldMemory(self->allocate(size, stream));
          },
          nb::arg("nbytes"), nb::arg("stream"), nb::keep_alive<0, 3>())
      .def(
          "trim",
          [](const Held<Pool>& self, std::size_t keep) { self->trim(keep); },
          nb::arg("keep") = 0, Unlocked())
      .def_prop_ro("reserved",
                   [](const Held<Pool>& self) { return self->reserved(); })
      .def_prop_ro("used", [](const Held<Pool>& self) { return self->used(); });
}

void init_virtual_range(nb::module_& m) {
  range_class<VirtualRange>(m, "VirtualRange",
                            "Addresses that get memory as they are needed.")
      .def(
          "__init__",
          [](Held<VirtualRange>* self, int device, std::size_t capacity) {
            std::unique_ptr<VirtualRange> range;
            {
              nb::gil_scoped_release unlocked;
              range = std::make_unique<VirtualRange>(device, capacity);
            }
            new (self) Held<VirtualRange>(std::move(range));
          },
          nb::arg("device"), nb::arg("capacity"))
      .def(
          "grow",
          [](Held<VirtualRange>& self, std::size_t size) { self->grow(size); },
          nb::arg("nbytes"), Unlocked())
      .def_prop_ro(
          "capacity",
          [](const Held<VirtualRange>& self) { return self->capacity(); })
      .def_prop_ro("granularity", [](const Held<VirtualRange>& self) {
        return self->granularity();
      });
}

// Call without the GIL and hold what comes back.
template <typename Function, typename... Arguments>
HeldMemory made(Function function, Arguments... arguments) {
  nb::gil_scoped_release unlocked;
  return HeldMemory(function(arguments...));
}

}  // namespace

void init_memory(nb::module_& m) {
  m.attr("DLPACK_DEVICE") = kDlpackDevice;
  range_class<Memory>(m, "Memory",
                      "A range of memory, released with its last owner.");
  init_pool(m);
  init_virtual_range(m);
  m.def(
      "allocate",
      [](std::size_t size, int device) { return made(allocate, size, device); },
      nb::arg("nbytes"), nb::arg("device"));
  m.def(
      "allocate_pinned",
      [](std::size_t size, int device) {
        return made(allocate_pinned, size, device);
      },
      nb::arg("nbytes"), nb::arg("device"));
  m.def(
      "register_host",
      [](std::uintptr_t address, std::size_t size, int device,
         nb::handle /*owner*/) {
        return made(register_host, address, size, device);
      },
      nb::arg("address"), nb::arg("nbytes"), nb::arg("device"),
      nb::arg("owner"), nb::keep_alive<0, 4>());
  m.def("device_address", &device_address, nb::arg("host"), nb::arg("device"),
        Unlocked());
  m.def("copy", &copy, nb::arg("to"), nb::arg("source"), nb::arg("nbytes"),
        nb::arg("stream"), Unlocked());
  m.def("fill", &fill, nb::arg("to"), nb::arg("value"), nb::arg("nbytes"),
        nb::arg("stream"), Unlocked());
}

}  // namespace eclosion::gpu
