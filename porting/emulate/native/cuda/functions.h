// What kernels need and may be given: attributes of functions, occupancy.
#pragma once

#include <cuda.h>

#include <functional>

#include "kernels.h"

namespace eclosion::cuda {

struct FunctionFacts {
  int most_threads = 0;  // of a block
  std::size_t static_shared = 0;
  std::size_t dynamic_shared_limit = 0;
  int registers = 0;
  int version = 0;  // 90 of 9.0
};
Status function_facts(const void* function, int device, FunctionFacts* facts);
Status function_attribute(const void* function, int device,
                          CUfunction_attribute attribute, int* value);
// kInvalidValue: out of range, or one that cannot be set.
Status set_function_attribute(const void* function, int device,
                              CUfunction_attribute attribute, int value);

// Where a parameter is in a packed buffer. kInvalidValue: there are fewer.
Status parameter_info(const void* function, int device, std::size_t index,
                      std::size_t* offset, std::size_t* size);

// Blocks of a size that a multiprocessor holds at a time: by its threads,
// blocks and shared memory, of which each block takes what the device reserves
// too (CUDA C++ Programming Guide, "Occupancy Calculator").
Status active_blocks(const void* function, int device, int block_size,
                     std::size_t dynamic_shared, int* blocks);
// Shared memory that is left for each of so many blocks.
Status available_shared(const void* function, int device, int blocks,
                        int block_size, std::size_t* size);
// `shared`: the dynamic shared memory of a block size. The block size that
// fills a multiprocessor, the largest of these.
Status best_block_size(const void* function, int device,
                       const std::function<std::size_t(int)>& shared, int most,
                       int* blocks, int* block_size);

}  // namespace eclosion::cuda
