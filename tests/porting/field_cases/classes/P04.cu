#include <hip/hip_runtime.h>
__global__ void q(int* p){ p[0] = __builtin_amdgcn_workitem_id_x(); }
int main(){ return hipDeviceSynchronize(); }
