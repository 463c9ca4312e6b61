// Python's view of device.h, context.h and the driver.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "../context.h"
#include "../device.h"
#include "../driver.h"
#include "glue.h"

namespace nb = nanobind;

namespace eclosion::gpu {
namespace {

int driver_version() {
  int version = 0;
  ECLOSION_DRIVER_CALL(cuDriverGetVersion, &version);
  return version;
}

}  // namespace

void init_devices(nb::module_& m) {
  nb::class_<DeviceProperties>(m, "DeviceProperties")
      .def_ro("name", &DeviceProperties::name)
      .def_ro("major", &DeviceProperties::major)
      .def_ro("minor", &DeviceProperties::minor)
      .def_ro("total_memory", &DeviceProperties::total_memory)
      .def_ro("multiprocessors", &DeviceProperties::multiprocessors)
      .def_ro("warp_size", &DeviceProperties::warp_size)
      .def_ro("has_memory_pools", &DeviceProperties::has_memory_pools)
      .def_ro("has_virtual_memory", &DeviceProperties::has_virtual_memory);
  m.def("runtime_version", &runtime_version, Unlocked());
  m.def("driver_version", &driver_version, Unlocked());
  m.def("device_count", &device_count, Unlocked());
  m.def("current_device", &current_device, Unlocked());
  m.def("set_device", &set_device, nb::arg("device"), Unlocked());
  m.def("device_properties", &device_properties, nb::arg("device"), Unlocked());
  m.def(
      "memory_info",
      [](int device) {
        MemoryInfo info;
        {
          nb::gil_scoped_release unlocked;
          info = memory_info(device);
        }
        return nb::make_tuple(info.free, info.total);
      },
      nb::arg("device"),
      nb::sig("def memory_info(device: int) -> tuple[int, int]"));
  m.def("synchronize_device", &synchronize_device, nb::arg("device"),
        Unlocked());
  m.def("pci_address", &pci_address, nb::arg("device"), Unlocked());
  m.def("numa_node", &numa_node, nb::arg("device"), Unlocked());
  m.def("can_access_peer", &can_access_peer, nb::arg("device"), nb::arg("peer"),
        Unlocked());
  m.def("enable_peer_access", &enable_peer_access, nb::arg("device"),
        nb::arg("peer"), Unlocked());
  m.def("disable_peer_access", &disable_peer_access, nb::arg("device"),
        nb::arg("peer"), Unlocked());
  m.def("has_context", &has_context, nb::arg("device"), Unlocked());
}

}  // namespace eclosion::gpu
