// The one NB_MODULE of runtime._core: each init_* adds the glue of one area.
#include <nanobind/nanobind.h>

#include "glue.h"

NB_MODULE(_core, m) {
  // Threads that end with their process hold objects when the interpreter ends:
  // nothing that its user could mend.
  nanobind::set_leak_warnings(false);
  m.doc() = "Compiled core of the runtime; import it through runtime.core.";
  eclosion::init_actors(m);
  eclosion::init_arrays(m);
  eclosion::init_dynlib(m);
  eclosion::init_host_kernels(m);
}
