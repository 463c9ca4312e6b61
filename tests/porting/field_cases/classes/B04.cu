#include <cufft.h>
int main(){ cufftHandle p; cufftPlan1d(&p, 8, CUFFT_C2C, 1); cufftComplex* d = 0; return cufftExecC2C(p, d, d, CUFFT_FORWARD); }
