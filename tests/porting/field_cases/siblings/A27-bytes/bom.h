extern cudaStream_t shared;
static const char name[] = "café"; // µs
