#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void g(int* p){ auto t = cg::tiled_partition<32>(cg::this_thread_block()); p[t.thread_rank()] = t.shfl_down(p[0], 1); cg::this_grid().sync(); }
int main(){ return 0; }
