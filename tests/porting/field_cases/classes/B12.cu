#include <nvToolsExt.h>
int main(){ nvtxRangePushA("a"); nvtxRangePop(); return 0; }
