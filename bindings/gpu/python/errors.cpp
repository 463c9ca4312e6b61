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

// The last that is registered is asked first, so it has to be the derived one.
template <typename Error>
void raise_with_fields(const std::exception_ptr& pending, void* type) {
  try {
    std::rethrow_exception(pending);
  } catch (const Error& error) {
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
  nb::register_exception_translator(&raise_with_fields<GpuError>,
                                    gpu_error.ptr());
  auto unsupported =
      nb::exception<UnsupportedError>(m, "UnsupportedError", gpu_error);
  nb::register_exception_translator(&raise_with_fields<UnsupportedError>,
                                    unsupported.ptr());
  nb::exception<LibraryError>(m, "DriverLibraryError", PyExc_OSError);
}

}  // namespace eclosion::gpu
