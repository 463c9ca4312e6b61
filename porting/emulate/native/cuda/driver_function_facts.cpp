// Attributes of functions and the occupancy that follows from them.
#include <algorithm>
#include <cstdint>

#include "device.h"
#include "functions.h"
#include "occupancy.h"

namespace eclosion::cuda {

using emulator::DeviceFacts;

Status function_facts(const void* function, int device, FunctionFacts* out) {
  emulator::Kernel* kernel = nullptr;
  const Status status = find_kernel(function, device, &kernel);
  if (status != Status::kSuccess) return status;
  const DeviceFacts& facts = emulator::device_facts(device);
  const emulator::KernelRecord& record = *kernel->record;
  out->most_threads = emulator::most_threads(*kernel, facts);
  out->static_shared = record.static_shared;
  out->dynamic_shared_limit =
      kernel->dynamic_shared_limit != 0
          ? kernel->dynamic_shared_limit
          : facts.limits.shared_bytes -
                std::min(facts.limits.shared_bytes, out->static_shared);
  // The processor's code has no such registers: as many as let a
  // multiprocessor have all its threads.
  out->registers = facts.registers_per_block / facts.threads_per_processor;
  out->version = facts.major * 10 + facts.minor;
  return Status::kSuccess;
}

Status function_attribute(const void* function, int device,
                          CUfunction_attribute attribute, int* value) {
  FunctionFacts facts;
  const Status status = function_facts(function, device, &facts);
  if (status != Status::kSuccess) return status;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return *value = facts.most_threads, Status::kSuccess;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return *value = static_cast<int>(facts.static_shared), Status::kSuccess;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return *value = static_cast<int>(facts.dynamic_shared_limit),
             Status::kSuccess;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return *value = facts.registers, Status::kSuccess;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return *value = facts.version, Status::kSuccess;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return *value = -1, Status::kSuccess;
    default:
      *value = 0;
      return attribute < CU_FUNC_ATTRIBUTE_MAX ? Status::kSuccess
                                               : Status::kInvalidValue;
  }
}

Status set_function_attribute(const void* function, int device,
                              CUfunction_attribute attribute, int value) {
  emulator::Kernel* kernel = nullptr;
  const Status status = find_kernel(function, device, &kernel);
  if (status != Status::kSuccess) return status;
  const emulator::LaunchLimits& limits = emulator::device_facts(device).limits;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
      const std::size_t used = kernel->record->static_shared;
      if (value < 0 || used > limits.shared_bytes_opt_in ||
          static_cast<std::size_t>(value) > limits.shared_bytes_opt_in - used) {
        return Status::kInvalidValue;
      }
      kernel->dynamic_shared_limit = static_cast<std::size_t>(value);
      return Status::kSuccess;
    }
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      // A hint: -1, or percent (cuda.h).
      return value >= -1 && value <= 100 ? Status::kSuccess
                                         : Status::kInvalidValue;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      return Status::kNotSupported;
    default:
      return Status::kInvalidValue;
  }
}

Status parameter_info(const void* function, int device, std::size_t index,
                      std::size_t* offset, std::size_t* size) {
  emulator::Kernel* kernel = nullptr;
  const Status status = find_kernel(function, device, &kernel);
  if (status != Status::kSuccess) return status;
  const emulator::KernelRecord& record = *kernel->record;
  if (index >= record.parameters) return Status::kInvalidValue;
  std::size_t at = 0;
  for (std::size_t i = 0; i <= index; ++i) {
    const std::size_t unit = record.alignments[i];
    at = (at + unit - 1) / unit * unit;
    if (i < index) at += record.sizes[i];
  }
  *offset = at;
  if (size != nullptr) *size = record.sizes[index];
  return Status::kSuccess;
}

Status active_blocks(const void* function, int device, int block_size,
                     std::size_t dynamic_shared, int* blocks) {
  if (blocks == nullptr || block_size <= 0) return Status::kInvalidValue;
  emulator::Kernel* kernel = nullptr;
  const Status status = find_kernel(function, device, &kernel);
  if (status != Status::kSuccess) return status;
  *blocks = emulator::blocks_per_processor(
      *kernel, emulator::device_facts(device), block_size, dynamic_shared);
  return Status::kSuccess;
}

Status available_shared(const void* function, int device, int blocks,
                        int block_size, std::size_t* size) {
  if (size == nullptr || blocks <= 0 || block_size <= 0) {
    return Status::kInvalidValue;
  }
  FunctionFacts own;
  const Status status = function_facts(function, device, &own);
  if (status != Status::kSuccess) return status;
  const DeviceFacts& facts = emulator::device_facts(device);
  if (blocks > emulator::blocks_by_threads(facts, block_size)) {
    return Status::kInvalidValue;
  }
  const std::size_t share =
      facts.shared_per_processor / static_cast<std::size_t>(blocks);
  const std::size_t taken =
      own.static_shared + emulator::reserved_per_block(facts);
  *size = std::min(share - std::min(share, taken),
                   facts.limits.shared_bytes_opt_in - own.static_shared);
  return Status::kSuccess;
}

Status best_block_size(const void* function, int device,
                       const std::function<std::size_t(int)>& shared, int most,
                       int* blocks, int* block_size) {
  if (blocks == nullptr || block_size == nullptr) return Status::kInvalidValue;
  FunctionFacts own;
  const Status status = function_facts(function, device, &own);
  if (status != Status::kSuccess) return status;
  const DeviceFacts& facts = emulator::device_facts(device);
  const int wave = static_cast<int>(facts.wave_size);
  const int largest =
      most > 0 ? std::min(most, own.most_threads) : own.most_threads;
  *blocks = *block_size = 0;
  for (int size = largest / wave * wave; size > 0; size -= wave) {
    int held = 0;
    active_blocks(function, device, size, shared(size), &held);
    if (held * size > *blocks * *block_size) {
      *blocks = held;
      *block_size = size;
    }
  }
  *blocks *= facts.processors;
  return Status::kSuccess;
}

}  // namespace eclosion::cuda
