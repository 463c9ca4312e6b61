// Loads and stores with a caching hint (__ldg, __stcs, ...) and what kind of
// memory an address is in. Hints do nothing here.
#pragma once

#include "../eclosion/qualifiers.h"

#define ECLOSION_LOAD(name, Type) \
  ECLOSION_FUNCTION Type name(const Type* address) { return *address; }
#define ECLOSION_STORE(name, Type) \
  ECLOSION_FUNCTION void name(Type* address, Type value) { *address = value; }
#define ECLOSION_ACCESS(Type)  \
  ECLOSION_LOAD(__ldg, Type)   \
  ECLOSION_LOAD(__ldcg, Type)  \
  ECLOSION_LOAD(__ldca, Type)  \
  ECLOSION_LOAD(__ldcs, Type)  \
  ECLOSION_LOAD(__ldlu, Type)  \
  ECLOSION_LOAD(__ldcv, Type)  \
  ECLOSION_STORE(__stwb, Type) \
  ECLOSION_STORE(__stcg, Type) \
  ECLOSION_STORE(__stcs, Type) \
  ECLOSION_STORE(__stwt, Type)

ECLOSION_ACCESS(char)
ECLOSION_ACCESS(signed char)
ECLOSION_ACCESS(short)
ECLOSION_ACCESS(int)
ECLOSION_ACCESS(long)
ECLOSION_ACCESS(long long)
ECLOSION_ACCESS(unsigned char)
ECLOSION_ACCESS(unsigned short)
ECLOSION_ACCESS(unsigned)
ECLOSION_ACCESS(unsigned long)
ECLOSION_ACCESS(unsigned long long)
ECLOSION_ACCESS(float)
ECLOSION_ACCESS(double)
ECLOSION_ACCESS(char2)
ECLOSION_ACCESS(char4)
ECLOSION_ACCESS(short2)
ECLOSION_ACCESS(short4)
ECLOSION_ACCESS(int2)
ECLOSION_ACCESS(int4)
ECLOSION_ACCESS(longlong2)
ECLOSION_ACCESS(uchar2)
ECLOSION_ACCESS(uchar4)
ECLOSION_ACCESS(ushort2)
ECLOSION_ACCESS(ushort4)
ECLOSION_ACCESS(uint2)
ECLOSION_ACCESS(uint4)
ECLOSION_ACCESS(ulonglong2)
ECLOSION_ACCESS(float2)
ECLOSION_ACCESS(float4)
ECLOSION_ACCESS(double2)
// ECLOSION_ACCESS and its parts stay for the headers of narrow types.

ECLOSION_FUNCTION unsigned __isShared(const void* address) {
  return eclosion_address_space(address) == 1;
}
ECLOSION_FUNCTION unsigned __isGlobal(const void* address) {
  return eclosion_address_space(address) == 2;
}
ECLOSION_FUNCTION unsigned __isConstant(const void* address) {
  return eclosion_address_space(address) == 3;
}
ECLOSION_FUNCTION unsigned __isLocal(const void* address) {
  return eclosion_address_space(address) == 4;
}

// There is one address space, so an address stays what it is.
#define ECLOSION_ADDRESS(space)                                             \
  ECLOSION_FUNCTION size_t __cvta_generic_to_##space(const void* address) { \
    return (size_t)address;                                                 \
  }                                                                         \
  ECLOSION_FUNCTION void* __cvta_##space##_to_generic(size_t address) {     \
    return (void*)address;                                                  \
  }
ECLOSION_ADDRESS(global)
ECLOSION_ADDRESS(shared)
ECLOSION_ADDRESS(constant)
ECLOSION_ADDRESS(local)
#undef ECLOSION_ADDRESS
