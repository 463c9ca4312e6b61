// Atomic updates of memory that device code shares, for any type of 1 to 16
// bytes, announced to the emulator before they are made.
//
// All orders are the strongest: a program that is right under a weaker one is
// right here. (Both vendors' plain atomics are relaxed.)
#pragma once

#include "qualifiers.h"

namespace eclosion_device {

ECLOSION_FUNCTION void announce(const volatile void* address, unsigned size) {
  eclosion_check_atomic(address, size);
}

template <typename T>
ECLOSION_FUNCTION T atomic_load(const volatile T* address) {
  announce(address, sizeof(T));
  T value;
  __atomic_load(const_cast<const T*>(address), &value, __ATOMIC_SEQ_CST);
  return value;
}

template <typename T>
ECLOSION_FUNCTION void atomic_store(volatile T* address, T value) {
  announce(address, sizeof(T));
  __atomic_store(const_cast<T*>(address), &value, __ATOMIC_SEQ_CST);
}

template <typename T>
ECLOSION_FUNCTION T atomic_exchange(volatile T* address, T value) {
  announce(address, sizeof(T));
  T old;
  __atomic_exchange(const_cast<T*>(address), &value, &old, __ATOMIC_SEQ_CST);
  return old;
}

// Gives what was there; it was replaced where that is `expected`, bit for bit.
template <typename T>
ECLOSION_FUNCTION T atomic_compare(volatile T* address, T expected, T value) {
  announce(address, sizeof(T));
  __atomic_compare_exchange(const_cast<T*>(address), &expected, &value, false,
                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}

// Replace what is there by `change(old)` at once; gives the old value.
template <typename T, typename Change>
ECLOSION_FUNCTION T atomic_update(volatile T* address, Change change) {
  announce(address, sizeof(T));
  T* plain = const_cast<T*>(address);
  T old;
  __atomic_load(plain, &old, __ATOMIC_SEQ_CST);
  T wanted = change(old);
  while (!__atomic_compare_exchange(plain, &old, &wanted, false,
                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    wanted = change(old);
  }
  return old;
}

// Integers, whose sums wrap.
#define ECLOSION_FETCH(name, builtin)                                 \
  template <typename T>                                               \
  ECLOSION_FUNCTION T name(volatile T* address, T value) {            \
    announce(address, sizeof(T));                                     \
    return builtin(const_cast<T*>(address), value, __ATOMIC_SEQ_CST); \
  }
ECLOSION_FETCH(atomic_add, __atomic_fetch_add)
ECLOSION_FETCH(atomic_sub, __atomic_fetch_sub)
ECLOSION_FETCH(atomic_and, __atomic_fetch_and)
ECLOSION_FETCH(atomic_or, __atomic_fetch_or)
ECLOSION_FETCH(atomic_xor, __atomic_fetch_xor)
#undef ECLOSION_FETCH

// Floating-point types and structs of them, by their own operators.
template <typename T>
ECLOSION_FUNCTION T atomic_plus(volatile T* address, T value) {
  return atomic_update(
      address, [value] __attribute__((device)) (T old) { return old + value; });
}

// Of two numbers the smaller or larger. One that is no number loses, as in
// IEEE 754-2008's minNum and maxNum.
template <typename T>
ECLOSION_FUNCTION T smaller(T left, T right) {
  return right < left || left != left ? right : left;
}

template <typename T>
ECLOSION_FUNCTION T larger(T left, T right) {
  return left < right || left != left ? right : left;
}

template <typename T>
ECLOSION_FUNCTION T atomic_min(volatile T* address, T value) {
  return atomic_update(address, [value] __attribute__((device)) (T old) {
    return smaller(old, value);
  });
}

template <typename T>
ECLOSION_FUNCTION T atomic_max(volatile T* address, T value) {
  return atomic_update(address, [value] __attribute__((device)) (T old) {
    return larger(old, value);
  });
}

// Counts 0, 1, ... limit, 0, ...
template <typename T>
ECLOSION_FUNCTION T atomic_increment(volatile T* address, T limit) {
  return atomic_update(address, [limit] __attribute__((device)) (T old) {
    return old >= limit ? T(0) : T(old + 1);
  });
}

// Counts limit, ... 1, 0, limit, ...; what is above the limit becomes it.
template <typename T>
ECLOSION_FUNCTION T atomic_decrement(volatile T* address, T limit) {
  return atomic_update(address, [limit] __attribute__((device)) (T old) {
    return old == 0 || old > limit ? limit : T(old - 1);
  });
}

}  // namespace eclosion_device
