// NCCL by dlopen: the library is optional, and so are its newer functions.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstddef>

#define TIDEPOOL_NCCL_FUNCTIONS(X) \
  X(ncclGetVersion)                \
  X(ncclGetUniqueId)               \
  X(ncclCommInitRank)              \
  X(ncclCommDestroy)               \
  X(ncclGetErrorString)            \
  X(ncclGroupStart)                \
  X(ncclGroupEnd)                  \
  X(ncclBroadcast)                 \
  X(ncclAllReduce)                 \
  X(ncclSend)                      \
  X(ncclRecv)

#define TIDEPOOL_OPTIONAL_NCCL_FUNCTIONS(X) \
  X(ncclCommGetAsyncError)                  \
  X(ncclCommAbort)

namespace tidepool {

struct NcclTable {
#define TIDEPOOL_MEMBER(name) decltype(&::name) name = nullptr;
  TIDEPOOL_NCCL_FUNCTIONS(TIDEPOOL_MEMBER)
  TIDEPOOL_OPTIONAL_NCCL_FUNCTIONS(TIDEPOOL_MEMBER)
#undef TIDEPOOL_MEMBER
};

const NcclTable* nccl();
const char* nccl_problem();

// Moves checkpoint shards between the ranks of one communicator.
class ShardExchange {
 public:
  ShardExchange(const ncclUniqueId& id, int ranks, int rank);
  ~ShardExchange();
  ShardExchange(const ShardExchange&) = delete;
  ShardExchange& operator=(const ShardExchange&) = delete;

  // Sends `bytes` to the next rank and receives as many from the previous one.
  void rotate(const void* outgoing, void* incoming, std::size_t bytes,
              cudaStream_t stream);
  void broadcast(void* data, std::size_t bytes, int root, cudaStream_t stream);
  void add_up(float* values, std::size_t count, cudaStream_t stream);
  bool healthy() const;

 private:
  const NcclTable& api_;
  ncclComm_t communicator_ = nullptr;
  int ranks_;
  int rank_;
};

}  // namespace tidepool
