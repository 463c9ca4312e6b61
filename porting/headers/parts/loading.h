// What finds libraries and functions by name. Valid as C.
// Read by porting/headers/parts.py, see warp.h.

//@ eclosion_translate
struct eclosion_name {
  const char* cuda;
  const char* rocm;
};

// Names that this tree does not use, and those of other libraries, stay.
static inline const char* eclosion_translate(const char* name,
                                             const struct eclosion_name* names,
                                             size_t count) {
  for (size_t i = 0; name != NULL && i < count; ++i) {
    if (strcmp(name, names[i].cuda) == 0) return names[i].rocm;
  }
  return name;
}

//@ eclosion_finder
// hipGetProcAddress as dlsym found it; it counts versions as HIP does.
typedef hipError_t eclosion_finder_type(
    const char* symbol, void** function, int version, uint64_t flags,
    hipDriverProcAddressQueryResult* status);
static eclosion_finder_type* eclosion_finder;

//@ eclosion_cuGetProcAddress needs eclosion_finder
static inline hipError_t eclosion_cuGetProcAddress(const char* symbol,
                                                   void** function, int version,
                                                   uint64_t flags) {
  (void)version;
  return eclosion_finder(eclosion_symbol(symbol), function,
                         HIP_VERSION_MAJOR * 100 + HIP_VERSION_MINOR, flags,
                         NULL);
}

//@ eclosion_cuGetProcAddress_v2 needs eclosion_finder
static inline hipError_t eclosion_cuGetProcAddress_v2(
    const char* symbol, void** function, int version, uint64_t flags,
    hipDriverProcAddressQueryResult* status) {
  (void)version;
  return eclosion_finder(eclosion_symbol(symbol), function,
                         HIP_VERSION_MAJOR * 100 + HIP_VERSION_MINOR, flags,
                         status);
}
