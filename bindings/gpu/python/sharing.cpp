// Python's view of IPC handles and dmabuf descriptors.
#include "../sharing.h"

#include <nanobind/nanobind.h>

#include <cstring>
#include <stdexcept>

#include "glue.h"
#include "held.h"

namespace nb = nanobind;

namespace eclosion::gpu {
namespace {

nb::tuple python_dmabuf(std::uintptr_t address, int device) {
  DmaBuf exported;
  {
    nb::gil_scoped_release unlocked;
    exported = export_dmabuf(address, device);
  }
  return nb::make_tuple(exported.descriptor, exported.offset, exported.size);
}

nb::tuple python_ipc(std::uintptr_t address, int device) {
  IpcExport exported;
  {
    nb::gil_scoped_release unlocked;
    exported = export_ipc(address, device);
  }
  return nb::make_tuple(
      nb::bytes(reinterpret_cast<const char*>(exported.handle.data()),
                exported.handle.size()),
      exported.offset, exported.size);
}

Held<Memory> python_open(const nb::bytes& handle, std::size_t size,
                         int device) {
  IpcHandle raw;
  if (handle.size() != raw.size()) {
    throw std::invalid_argument("an IPC handle has 64 bytes");
  }
  std::memcpy(raw.data(), handle.c_str(), raw.size());
  nb::gil_scoped_release unlocked;
  return Held<Memory>(open_ipc(raw, size, device));
}

}  // namespace

void init_sharing(nb::module_& m) {
  m.def("export_dmabuf", &python_dmabuf, nb::arg("address"), nb::arg("device"),
        nb::sig("def export_dmabuf(address: int, device: int) -> "
                "tuple[int, int, int]"));
  m.def("export_ipc", &python_ipc, nb::arg("address"), nb::arg("device"),
        nb::sig("def export_ipc(address: int, device: int) -> "
                "tuple[bytes, int, int]"));
  m.def("open_ipc", &python_open, nb::arg("handle"), nb::arg("nbytes"),
        nb::arg("device"));
}

}  // namespace eclosion::gpu
