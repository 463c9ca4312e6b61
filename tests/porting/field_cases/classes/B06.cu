#include <cusolverDn.h>
int main(){ cusolverDnHandle_t h; int l; float* a = 0; cusolverDnCreate(&h); return cusolverDnSgetrf_bufferSize(h, 4, 4, a, 4, &l); }
