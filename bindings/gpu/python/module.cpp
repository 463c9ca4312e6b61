// The NB_MODULE of a platform; the build gives its name.
#include <nanobind/nanobind.h>

#include "glue.h"

NB_MODULE(ECLOSION_MODULE, m) {
  m.doc() = "One vendor's GPU layer; import it through runtime.devices.";
  eclosion::gpu::init_errors(m);
  eclosion::gpu::init_devices(m);
  eclosion::gpu::init_streams(m);
  eclosion::gpu::init_memory(m);
  eclosion::gpu::init_sharing(m);
  eclosion::gpu::init_kernels(m);
}
