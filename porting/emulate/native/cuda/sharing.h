// Memory and events of other processes, by handles of 64 bytes.
#pragma once

#include <cuda.h>

#include "statuses.h"

namespace eclosion::cuda {

Status export_memory(const void* address, CUipcMemHandle* handle);
// `flags`: CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS, which has to be given.
Status import_memory(const CUipcMemHandle& handle, unsigned flags,
                     void** address);
Status close_memory(void* address);
Status export_event(CUevent event, CUipcEventHandle* handle);
Status import_event(const CUipcEventHandle& handle, CUevent* event);

}  // namespace eclosion::cuda
