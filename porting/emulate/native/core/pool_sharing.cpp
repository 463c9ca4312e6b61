// Pools and their memory in other processes.
#include <unistd.h>

#include "memory_file.h"
#include "memory_state.h"
#include "pool.h"
#include "shared_memory.h"
#include "ticket.h"

namespace eclosion::emulator {

// The file holds nothing: what it is called says whose pool it is.
Status Pool::export_file(int* file) const {
  if (!is_shareable_ || is_imported()) return Status::kInvalidValue;
  const FileTitle title{FileUse::kPool, memory_state().nonce, id_, device_};
  const int made = create_memory_file(title, 0);
  if (made < 0) return Status::kOutOfMemory;
  *file = made;
  return Status::kSuccess;
}

Status Pool::import_file(int file, PoolRef* pool) {
  const auto title = title_of(file);
  if (!title || title->use != FileUse::kPool) return Status::kInvalidValue;
  PoolRef made;
  const Status status = create(title->device, 0, false, &made);
  if (status != Status::kSuccess) return status;
  made->owner_ = title->nonce;
  made->owner_id_ = title->id;
  *pool = std::move(made);
  return Status::kSuccess;
}

Status Pool::export_pointer(const void* address, SharedHandle* data) {
  const PoolRef pool = of(address);
  if (!pool || !pool->is_shareable()) return Status::kInvalidValue;
  return export_of_pool(address, pool->id(), data);
}

Status Pool::import_pointer(const SharedHandle& data, void** address) {
  const auto ticket = Ticket::read(data);
  if (!is_imported() || !ticket || ticket->nonce != owner_ ||
      ticket->pool != owner_id_) {
    return Status::kInvalidValue;
  }
  return import_into_pool(*ticket, device_, id_, address);
}

}  // namespace eclosion::emulator
