// Twins for the device of the C library's memory functions, printf, assert and
// heap.
#pragma once

#include "qualifiers.h"

extern "C" {

// One vendor's printf counts characters, the other's arguments.
#ifdef __HIP__
#define ECLOSION_PRINTF "eclosion_printf"
#else
#define ECLOSION_PRINTF "eclosion_printf_arguments"
#endif
__attribute__((device)) int printf(const char* format,
                                   ...) __asm__(ECLOSION_PRINTF);
#undef ECLOSION_PRINTF

__attribute__((device)) void* malloc(size_t size) noexcept
    __asm__("eclosion_device_malloc");
__attribute__((device)) void free(void* address) noexcept
    __asm__("eclosion_device_free");

__attribute__((device, noreturn)) void __assert_fail(
    const char* expression, const char* file, unsigned line,
    const char* function) noexcept __asm__("eclosion_assert_failed");

__attribute__((device)) void* memcpy(void* to, const void* from,
                                     size_t size) noexcept;
__attribute__((device)) void* memmove(void* to, const void* from,
                                      size_t size) noexcept;
__attribute__((device)) void* memset(void* to, int value, size_t size) noexcept;

}  // extern "C"

__attribute__((device)) void* operator new(size_t size) __asm__(
    "eclosion_device_malloc");
__attribute__((device)) void* operator new[](size_t size) __asm__(
    "eclosion_device_malloc");
__attribute__((device)) void operator delete(void* address) noexcept
    __asm__("eclosion_device_free");
__attribute__((device)) void operator delete[](void* address) noexcept
    __asm__("eclosion_device_free");
__attribute__((device)) void operator delete(void* address,
                                             size_t size) noexcept
    __asm__("eclosion_device_free");
__attribute__((device)) void operator delete[](void* address,
                                               size_t size) noexcept
    __asm__("eclosion_device_free");

// Construction in memory that is there.
__attribute__((device)) inline void* operator new(size_t, void* at) noexcept {
  return at;
}
__attribute__((device)) inline void* operator new[](size_t, void* at) noexcept {
  return at;
}
__attribute__((device)) inline void operator delete(void*, void*) noexcept {}
__attribute__((device)) inline void operator delete[](void*, void*) noexcept {}
