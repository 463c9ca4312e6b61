#include <dlfcn.h>
#include <cstdio>
struct Entry { const char* name; void** slot; };
static void* all_reduce;
static void* blas_create;
static const char* const kNccl[] = {"libnccl.so.2", "libnccl.so"};
static const Entry kTable[] = {{"ncclAllReduce", &all_reduce}, {"ncclCommInitRank", nullptr}};
bool open_all() {
  void* nccl = dlopen(kNccl[0], RTLD_NOW | RTLD_NOLOAD);
  if (!nccl) nccl = dlopen("libnccl.so.2", RTLD_NOW);
  if (!nccl) { std::fprintf(stderr, "NCCL is needed\n"); return false; }
  for (const Entry& e : kTable) if (e.slot) *e.slot = dlsym(nccl, e.name);
  void* rtc = dlopen("libnvrtc.so.12", RTLD_LAZY);
  void* blas = ::dlopen("libcublas.so.12", RTLD_LAZY);
  blas_create = dlsym(blas, "cublasCreate_v2");
  return rtc && dlsym(rtc, "nvrtcCompileProgram") && dlopen("libcufile.so.0", RTLD_LAZY);
}
