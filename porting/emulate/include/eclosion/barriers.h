// Barriers of a block, fences, and what a thread asks of its processor.
#pragma once

#include "qualifiers.h"

ECLOSION_FUNCTION void __syncthreads() {
  eclosion_block_barrier(ECLOSION_BLOCK_NONE, 0);
}
ECLOSION_FUNCTION int __syncthreads_count(int predicate) {
  return eclosion_block_barrier(ECLOSION_BLOCK_COUNT, predicate != 0);
}
ECLOSION_FUNCTION int __syncthreads_and(int predicate) {
  return eclosion_block_barrier(ECLOSION_BLOCK_AND, predicate != 0);
}
ECLOSION_FUNCTION int __syncthreads_or(int predicate) {
  return eclosion_block_barrier(ECLOSION_BLOCK_OR, predicate != 0);
}

// The processor keeps the order of stores; only its own delays are waited for.
ECLOSION_FUNCTION void __threadfence_block() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
ECLOSION_FUNCTION void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
ECLOSION_FUNCTION void __threadfence_system() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

ECLOSION_FUNCTION void __trap() { eclosion_trap(); }
ECLOSION_FUNCTION void __brkpt() { eclosion_trap(); }

ECLOSION_FUNCTION long long clock64() { return (long long)eclosion_clock(); }
ECLOSION_FUNCTION long clock() { return (long)eclosion_clock(); }

// At least `ns` of the emulator's clock, in which other threads run.
ECLOSION_FUNCTION void __nanosleep(unsigned ns) {
  const unsigned long long start = eclosion_clock();
  do {
    eclosion_pause();
  } while (eclosion_clock() - start < ns);
}
