// Python's view of core/dynlib: Library, Symbol and LibraryError.
#include "core/dynlib.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "glue.h"

namespace nb = nanobind;

namespace eclosion {
namespace {

// File names and the loader's messages are bytes in the file system encoding.
nb::object file_text(const std::string& text) {
  return nb::steal(PyUnicode_DecodeFSDefaultAndSize(
      text.data(), static_cast<Py_ssize_t>(text.size())));
}

// Opening and closing run foreign constructors and destructors under the
// loader's lock; with the GIL held, a second thread could deadlock with us.
class PyLibrary {
 public:
  explicit PyLibrary(const std::vector<std::string>& candidates) {
    nb::gil_scoped_release unlocked;
    library_ = std::make_unique<Library>(Library::open(candidates));
  }
  PyLibrary(const PyLibrary&) = delete;
  PyLibrary& operator=(const PyLibrary&) = delete;
  ~PyLibrary() {
    nb::gil_scoped_release unlocked;
    library_.reset();
  }

  [[nodiscard]] std::vector<Symbol> resolve(
      const std::vector<std::string>& names) const {
    nb::gil_scoped_release unlocked;
    return library_->resolve(names);
  }

  [[nodiscard]] const Library& library() const { return *library_; }

 private:
  std::unique_ptr<Library> library_;
};

nb::object failures_to_python(const LibraryError& error) {
  nb::list rows;
  for (const FailedCandidate& failure : error.failures()) {
    rows.append(
        nb::make_tuple(file_text(failure.name), file_text(failure.reason)));
  }
  return nb::tuple(rows);
}

void raise_library_error(const std::exception_ptr& pending, void* type) {
  try {
    std::rethrow_exception(pending);
  } catch (const LibraryError& error) {
    nb::object value =
        nb::handle(static_cast<PyObject*>(type))(file_text(error.what()));
    value.attr("failures") = failures_to_python(error);
    PyErr_SetObject(static_cast<PyObject*>(type), value.ptr());
  }
}

void init_symbol(nb::module_& m) {
  nb::class_<Symbol>(m, "Symbol", "One row of a resolved symbol table.")
      .def_ro("name", &Symbol::name)
      .def_prop_ro(
          "address",
          [](const Symbol& symbol) -> nb::object {
            if (symbol.address == nullptr) return nb::none();
            return nb::int_(reinterpret_cast<std::uintptr_t>(symbol.address));
          },
          nb::sig("def address(self) -> int | None"),
          "Address in this process, None when the library lacks the symbol.")
      .def_prop_ro(
          "reason",
          [](const Symbol& symbol) { return file_text(symbol.reason); },
          nb::sig("def reason(self) -> str"),
          "The loader's words for a missing symbol, else an empty string.");
}

void init_library(nb::module_& m) {
  nb::class_<PyLibrary>(
      m, "Library", "An open shared library, closed with its last reference.")
      .def(nb::init<const std::vector<std::string>&>(), nb::arg("candidates"),
           "Open the first candidate the loader accepts, sharing a resident "
           "copy.")
      .def("resolve", &PyLibrary::resolve, nb::arg("names"),
           "Look up each name on its own, in the order given.")
      .def_prop_ro(
          "name",
          [](const PyLibrary& self) {
            return file_text(self.library().name());
          },
          nb::sig("def name(self) -> str"), "The candidate that was accepted.")
      .def_prop_ro(
          "path",
          [](const PyLibrary& self) {
            return file_text(self.library().path());
          },
          nb::sig("def path(self) -> str"),
          "The file the loader mapped for it.")
      .def_prop_ro(
          "shared",
          [](const PyLibrary& self) {
            return self.library().origin() == Origin::kShared;
          },
          "Whether the process had the library before this handle.");
}

}  // namespace

void init_dynlib(nb::module_& m) {
  auto error = nb::exception<LibraryError>(m, "LibraryError", PyExc_OSError);
  nb::register_exception_translator(&raise_library_error, error.ptr());
  init_symbol(m);
  init_library(m);
}

}  // namespace eclosion
