// The init functions that module.cpp calls, one per glue file.
#pragma once

#include <nanobind/nanobind.h>

namespace eclosion {

void init_actors(nanobind::module_& m);
void init_arrays(nanobind::module_& m);
void init_dynlib(nanobind::module_& m);
void init_host_kernels(nanobind::module_& m);

}  // namespace eclosion
