// Memory of devices and of the host, as both libraries hand it out.
#pragma once

#include <cstddef>

#include "memory.h"
#include "statuses.h"

namespace eclosion::cuda {

Status allocate_device(std::size_t size, const void* site, void** address);
// Rows are as far apart as textures need (the device's texture alignment).
Status allocate_rows(std::size_t width, std::size_t height, const void* site,
                     void** address, std::size_t* pitch);
// `flags`: CU_MEM_ATTACH_GLOBAL or _HOST.
Status allocate_managed(std::size_t size, unsigned flags, const void* site,
                        void** address);
// `flags`: CU_MEMHOSTALLOC_*.
Status allocate_pinned(std::size_t size, unsigned flags, const void* site,
                       void** address);

// Free what allocate_device, _rows and _managed gave, after all work of its
// device; nothing for a null address.
Status free_device(void* address, const void* site);
Status free_pinned(void* address, const void* site);

// `flags`: CU_MEMHOSTREGISTER_*.
Status register_host(void* address, std::size_t size, unsigned flags);
Status unregister_host(void* address);

// Where devices see memory of the host; kInvalidValue: they do not.
Status device_pointer(void* host, void** device);
// What pinned memory was asked for with.
Status host_flags(const void* host, unsigned* flags);

}  // namespace eclosion::cuda
