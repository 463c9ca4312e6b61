// The table of the driver's functions by name and release, which is generated
// (porting/emulate/unimplemented.py) from the vendor's header of prototypes.
#pragma once

extern "C" {

struct eclosion_entry {
  const char* name;
  int release;  // the one that brought this version of the function
  void* function;
  void* of_thread;  // for the default stream of the thread; null: the same
};

// The last one has no name. Versions of a function are in their order.
extern const eclosion_entry eclosion_cuda_entries[] __attribute__((weak));

}  // extern "C"
