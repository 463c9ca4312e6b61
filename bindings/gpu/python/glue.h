// The init functions of the GPU modules, one per glue file, and how they name
// the device kind.
#pragma once

#include <nanobind/nanobind.h>

namespace eclosion::gpu {

void init_errors(nanobind::module_& m);
void init_devices(nanobind::module_& m);
void init_streams(nanobind::module_& m);
void init_memory(nanobind::module_& m);
void init_sharing(nanobind::module_& m);
void init_kernels(nanobind::module_& m);

// DLPack's number of this platform's devices; the build says it.
inline constexpr int kDlpackDevice = ECLOSION_DLPACK_DEVICE;

// Every call may wait for a device.
using Unlocked = nanobind::call_guard<nanobind::gil_scoped_release>;

}  // namespace eclosion::gpu
