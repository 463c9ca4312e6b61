#include <nvrtc.h>
#include <cuda.h>
const char* s = R"(extern "C" __global__ void f(float* p){ p[0] = __shfl_down_sync(0xffffffffu, p[0], 1); })";
int main(){ nvrtcProgram pr; return nvrtcCreateProgram(&pr, s, "f.cu", 0, nullptr, nullptr); }
