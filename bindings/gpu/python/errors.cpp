// GpuError, UnsupportedError and LibraryError as Python's exceptions.
#include "../error.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "../unsupported.h"
#include "dynlib.h"
#include "glue.h"

namespace nb = nanobind;

namespace eclosion::gpu {
namespace {

void raise_gpu_error(const std::exception_ptr& pending, void* type) {
  try {
    std::rethrow_exception(pending);
  } catch (const GpuError& error) {
    nb::object value = nb::handle(static_cast<PyObject*>(type))(error.what());
    value.attr("call") = error.call();
    value.attr("code") = error.code();
    value.attr("name") = error.name();
    value.attr("text") = error.text();
    PyErr_SetObject(static_cast<PyObject*>(type), value.ptr());
  }
}

}  // namespace

void init_errors(nb::module_& m) {
  auto gpu_error = nb::exception<GpuError>(m, "GpuError", PyExc_RuntimeError);
  nb::register_exception_translator(&raise_gpu_error, gpu_error.ptr());
  nb::exception<UnsupportedError>(m, "UnsupportedError", PyExc_RuntimeError);
  nb::exception<LibraryError>(m, "DriverLibraryError", PyExc_OSError);
}

}  // namespace eclosion::gpu
