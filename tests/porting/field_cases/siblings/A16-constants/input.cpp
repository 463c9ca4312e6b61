#include <dlfcn.h>
#include <string>
#define DRIVER_SO "libcuda.so.1"
constexpr const char* kRuntime = "libcudart.so.12";
template <class F> F find(void* so, const char* name) { return (F)dlsym(so, name); }
#define SYM(so, f) find<decltype(&f)>(so, #f)
extern "C" int cuInit(unsigned);
int probe() {
  void* so = dlopen(DRIVER_SO, RTLD_LAZY);
  void* alloc = dlsym(so, "cuMemAlloc_v2");
  std::string plain = "see libcuda.so.1 in the manual";
  return so && alloc && dlopen(kRuntime, RTLD_LAZY) && SYM(so, cuInit) ? 0 : (int)plain.size();
}
