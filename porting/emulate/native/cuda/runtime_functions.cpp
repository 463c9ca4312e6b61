// Functions of device code by the runtime's functions: attributes, occupancy.
#include "device.h"
#include "front.h"
#include "functions.h"

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;

static_assert(static_cast<int>(cudaFuncAttributeMaxDynamicSharedMemorySize) ==
              CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(
    static_cast<int>(cudaFuncAttributePreferredSharedMemoryCarveout) ==
    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes,
                                  const void* function) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (attributes == nullptr) return Status::kInvalidValue;
    FunctionFacts facts;
    const Status status =
        function_facts(function, emulator::current_device(), &facts);
    if (status != Status::kSuccess) return status;
    *attributes = {};
    attributes->sharedSizeBytes = facts.static_shared;
    attributes->maxThreadsPerBlock = facts.most_threads;
    attributes->numRegs = facts.registers;
    attributes->ptxVersion = facts.version;
    attributes->binaryVersion = facts.version;
    attributes->maxDynamicSharedSizeBytes =
        static_cast<int>(facts.dynamic_shared_limit);
    attributes->preferredShmemCarveout = -1;
    return Status::kSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function,
                                 cudaFuncAttribute attribute, int value) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return set_function_attribute(function, emulator::current_device(),
                                  static_cast<CUfunction_attribute>(attribute),
                                  value);
  });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
                                            cudaFuncAttribute attribute,
                                            int value, int device) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (!is_device(device)) return Status::kInvalidDevice;
    return set_function_attribute(
        kernel, device, static_cast<CUfunction_attribute>(attribute), value);
  });
}

// There is no cache to prefer.
cudaError_t cudaFuncSetCacheConfig(const void* function,
                                   cudaFuncCache preference) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (preference > cudaFuncCachePreferEqual) return Status::kInvalidValue;
    FunctionFacts facts;
    return function_facts(function, emulator::current_device(), &facts);
  });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (name == nullptr) return Status::kInvalidValue;
    emulator::Kernel* kernel = nullptr;
    const Status status =
        find_kernel(function, emulator::current_device(), &kernel);
    if (status == Status::kSuccess) *name = kernel->record->name;
    return status;
  });
}

cudaError_t cudaFuncGetParamInfo(const void* function, size_t index,
                                 size_t* offset, size_t* size) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (offset == nullptr) return Status::kInvalidValue;
    return parameter_info(function, emulator::current_device(), index, offset,
                          size);
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* found, const void* symbol) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (found == nullptr) return Status::kInvalidValue;
    emulator::Kernel* kernel = nullptr;
    const int device = emulator::current_device();
    const Status status = find_kernel(symbol, device, &kernel);
    if (status != Status::kSuccess) return status;
    *found = add_function({symbol, {}, device});
    return Status::kSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                          const void* function,
                                                          int block_size,
                                                          size_t shared) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return active_blocks(function, emulator::current_device(), block_size,
                         shared, blocks);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int block_size, size_t shared,
    unsigned flags) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (flags > cudaOccupancyDisableCachingOverride) {
      return Status::kInvalidValue;
    }
    return active_blocks(function, emulator::current_device(), block_size,
                         shared, blocks);
  });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* size,
                                                      const void* function,
                                                      int blocks,
                                                      int block_size) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return available_shared(function, emulator::current_device(), blocks,
                            block_size, size);
  });
}
