cudaError_t f(void);
