// Images of device code that a program loads: which are known, and what is in
// them, which is found by name in the sidecars.
#pragma once

#include <cuda.h>

#include <string>

#include "statuses.h"

namespace eclosion::cuda {

struct Module {
  int device = -1;  // -1: a library, of every device
};

// kInvalidImage: neither a fatbin, nor an ELF file for devices, nor PTX.
Status check_image(const void* image);
// kFileNotFound; kInvalidImage.
Status check_file(const char* path);

CUmodule add_module(int device);
Status find_module(CUmodule handle, Module* module);
Status unload_module(CUmodule handle);
CUlibrary add_library();
Status find_library(CUlibrary handle);
Status unload_library(CUlibrary handle);

// kNotFound: no sidecar has a kernel of this name.
Status check_kernel(const std::string& name, int device);
Status find_global(const char* name, int device, void** address,
                   std::size_t* size);

}  // namespace eclosion::cuda
