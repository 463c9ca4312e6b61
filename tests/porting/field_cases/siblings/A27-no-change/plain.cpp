// nothing of CUDA here: cudaMalloc is only named
int main() { return 0; }