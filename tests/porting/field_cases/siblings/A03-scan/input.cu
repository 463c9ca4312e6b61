#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
using namespace cooperative_groups;
__global__ void ranks(int* out, const int* in, int n) {
  __shared__ int stage[128];
  thread_block block = this_thread_block();
  cooperative_groups::memcpy_async(block, stage, in, sizeof(int) * 128);
  cooperative_groups::wait(block);
  coalesced_group active = cooperative_groups::coalesced_threads();
  out[block.thread_rank()] = cooperative_groups::exclusive_scan(active, stage[active.thread_rank()]);
  block.sync();
}
