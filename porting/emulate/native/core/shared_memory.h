// Sharing between processes, for allocations and for memory of pools alike.
#pragma once

#include <cstdint>

#include "memory.h"
#include "ticket.h"

namespace eclosion::emulator {

// As export_memory(), of memory of one pool; 0: of none.
Status export_of_pool(const void* address, std::uint64_t pool,
                      SharedHandle* handle);
// As import_memory(); `pool` is the importing process's.
Status import_into_pool(const Ticket& ticket, int device, std::uint64_t pool,
                        void** address);

}  // namespace eclosion::emulator
