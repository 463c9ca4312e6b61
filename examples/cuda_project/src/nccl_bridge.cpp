// Opens NCCL and wraps the few collectives that checkpoints need.
#include "tidepool/nccl_bridge.h"

#include <dlfcn.h>

#include <string>

#include "tidepool/check.h"

namespace tidepool {
namespace {

struct OpenedNccl {
  NcclTable table;
  std::string problem;
};

OpenedNccl open_nccl() {
  OpenedNccl opened;
  void* library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) library = dlopen("libnccl.so.2", RTLD_NOW);
  if (library == nullptr) {
    opened.problem =
        std::string("libnccl.so.2 could not be opened: ") + dlerror();
    return opened;
  }
#define TIDEPOOL_LOAD(name) \
  opened.table.name =       \
      reinterpret_cast<decltype(opened.table.name)>(dlsym(library, #name));
  TIDEPOOL_NCCL_FUNCTIONS(TIDEPOOL_LOAD)
  TIDEPOOL_OPTIONAL_NCCL_FUNCTIONS(TIDEPOOL_LOAD)
#undef TIDEPOOL_LOAD
#define TIDEPOOL_REQUIRE(name)                     \
  if (opened.table.name == nullptr) {              \
    opened.problem = "libnccl.so.2 has no " #name; \
  }
  TIDEPOOL_NCCL_FUNCTIONS(TIDEPOOL_REQUIRE)
#undef TIDEPOOL_REQUIRE
  return opened;
}

const OpenedNccl& opened_nccl() {
  static const OpenedNccl opened = open_nccl();
  return opened;
}

const NcclTable& require_nccl() {
  if (nccl() == nullptr) throw GpuError(nccl_problem());
  return *nccl();
}

void check(ncclResult_t result, const char* what) {
  if (result == ncclSuccess) return;
  throw GpuError(std::string(what) + ": " +
                 require_nccl().ncclGetErrorString(result));
}

}  // namespace

const NcclTable* nccl() {
  return opened_nccl().problem.empty() ? &opened_nccl().table : nullptr;
}

const char* nccl_problem() { return opened_nccl().problem.c_str(); }

ShardExchange::ShardExchange(const ncclUniqueId& id, int ranks, int rank)
    : api_(require_nccl()), ranks_(ranks), rank_(rank) {
  check(api_.ncclCommInitRank(&communicator_, ranks, id, rank),
        "joining the communicator");
}

ShardExchange::~ShardExchange() {
  if (communicator_ == nullptr) return;
  if (!healthy() && api_.ncclCommAbort != nullptr) {
    api_.ncclCommAbort(communicator_);
  } else {
    api_.ncclCommDestroy(communicator_);
  }
}

void ShardExchange::rotate(const void* outgoing, void* incoming,
                           std::size_t bytes, cudaStream_t stream) {
  const int next = (rank_ + 1) % ranks_;
  const int previous = (rank_ + ranks_ - 1) % ranks_;
  check(api_.ncclGroupStart(), "ncclGroupStart");
  check(api_.ncclSend(outgoing, bytes, ncclChar, next, communicator_, stream),
        "ncclSend");
  check(
      api_.ncclRecv(incoming, bytes, ncclChar, previous, communicator_, stream),
      "ncclRecv");
  check(api_.ncclGroupEnd(), "ncclGroupEnd");
}

void ShardExchange::broadcast(void* data, std::size_t bytes, int root,
                              cudaStream_t stream) {
  check(api_.ncclBroadcast(data, data, bytes, ncclChar, root, communicator_,
                           stream),
        "ncclBroadcast");
}

void ShardExchange::add_up(float* values, std::size_t count,
                           cudaStream_t stream) {
  check(api_.ncclAllReduce(values, values, count, ncclFloat, ncclSum,
                           communicator_, stream),
        "ncclAllReduce");
}

bool ShardExchange::healthy() const {
  ncclResult_t state = ncclSuccess;
  if (api_.ncclCommGetAsyncError == nullptr) return true;
  return api_.ncclCommGetAsyncError(communicator_, &state) == ncclSuccess &&
         state == ncclSuccess;
}

}  // namespace tidepool
