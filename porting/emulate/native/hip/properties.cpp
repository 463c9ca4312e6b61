// The two layouts in which a device is described.
//
// hip_runtime_api.h renames hipGetDeviceProperties to its R0600 form; the plain
// symbol keeps the layout of ROCm 5, hipDeviceProp_tR0000 (hip_deprecated.h).
#include <climits>
#include <cstdio>
#include <cstring>

#include "device.h"
#include "devices.h"
#include "front.h"
#include "memory.h"

// After the header that it needs and does not include.
#include <hip/hip_deprecated.h>

namespace eclosion::hip {

namespace {

using emulator::DeviceFacts;
using emulator::Memory;

// What the emulator gives every device.
constexpr int kAlignment = 256;
// eclosion_clock() counts nanoseconds (device_abi.h).
constexpr int kClockKhz = 1000000;

// Targets with optional features say which are on, as in
// https://llvm.org/docs/AMDGPUUsage.html, "Target ID".
void write_arch_name(const DeviceFacts& facts, char (&text)[256]) {
  const bool is_server = facts.arch == "gfx90a" || facts.arch == "gfx942" ||
                         facts.arch == "gfx950";
  std::snprintf(text, sizeof(text), "%s%s", facts.arch.c_str(),
                is_server ? ":sramecc+:xnack-" : "");
}

hipDeviceArch_t features() {
  hipDeviceArch_t arch{};
  arch.hasGlobalInt32Atomics = arch.hasGlobalFloatAtomicExch = 1;
  arch.hasSharedInt32Atomics = arch.hasSharedFloatAtomicExch = 1;
  arch.hasFloatAtomicAdd = 1;
  arch.hasGlobalInt64Atomics = arch.hasSharedInt64Atomics = 1;
  arch.hasDoubles = 1;
  arch.hasWarpVote = arch.hasWarpBallot = arch.hasWarpShuffle = 1;
  arch.hasThreadFenceSystem = 1;
  arch.has3dGrid = 1;
  return arch;
}

void describe_identity(int device, hipDeviceProp_tR0600* p) {
  const DeviceFacts& facts = emulator::device_facts(device);
  std::snprintf(p->name, sizeof(p->name), "%s", facts.name.c_str());
  std::memcpy(p->uuid.bytes, facts.uuid, sizeof(p->uuid.bytes));
  write_arch_name(facts, p->gcnArchName);
  p->major = facts.major;
  p->minor = facts.minor;
  p->pciBusID = facts.pci_bus;
  p->multiGpuBoardGroupID = device;
}

void describe_size(int device, hipDeviceProp_tR0600* p) {
  const DeviceFacts& facts = emulator::device_facts(device);
  p->totalGlobalMem = Memory::get().total(device);
  p->totalConstMem = facts.constant_bytes;
  p->l2CacheSize = static_cast<int>(facts.l2_bytes);
  p->multiProcessorCount = facts.processors;
  p->maxThreadsPerMultiProcessor = facts.threads_per_processor;
  p->maxBlocksPerMultiProcessor = facts.blocks_per_processor;
  p->regsPerBlock = p->regsPerMultiprocessor = facts.registers_per_block;
  p->sharedMemPerMultiprocessor = facts.shared_per_processor;
  p->maxSharedMemoryPerMultiProcessor = facts.shared_per_processor;
  p->clockRate = facts.clock_khz;
  p->clockInstructionRate = kClockKhz;
  p->memoryClockRate = facts.memory_clock_khz;
  p->memoryBusWidth = facts.bus_width_bits;
  p->memPitch = INT_MAX;
  p->textureAlignment = p->texturePitchAlignment = kAlignment;
}

void describe_launches(int device, hipDeviceProp_tR0600* p) {
  const DeviceFacts& facts = emulator::device_facts(device);
  const emulator::LaunchLimits& limits = facts.limits;
  p->warpSize = static_cast<int>(facts.wave_size);
  p->maxThreadsPerBlock = static_cast<int>(limits.threads_per_block);
  p->maxThreadsDim[0] = static_cast<int>(limits.block.x);
  p->maxThreadsDim[1] = static_cast<int>(limits.block.y);
  p->maxThreadsDim[2] = static_cast<int>(limits.block.z);
  p->maxGridSize[0] = static_cast<int>(limits.grid.x);
  p->maxGridSize[1] = static_cast<int>(limits.grid.y);
  p->maxGridSize[2] = static_cast<int>(limits.grid.z);
  p->sharedMemPerBlock = limits.shared_bytes;
  p->sharedMemPerBlockOptin = limits.shared_bytes_opt_in;
}

void describe_abilities(hipDeviceProp_tR0600* p) {
  p->arch = features();
  p->concurrentKernels = p->asyncEngineCount = p->deviceOverlap = 1;
  p->streamPrioritiesSupported = 1;
  p->canMapHostMemory = p->unifiedAddressing = 1;
  p->canUseHostPointerForRegisteredMem = p->hostRegisterSupported = 1;
  p->managedMemory = p->concurrentManagedAccess = 1;
  p->cooperativeLaunch = 1;
  p->memoryPoolsSupported = 1;
  p->memoryPoolSupportedHandleTypes = hipMemHandleTypePosixFileDescriptor;
  p->ipcEventSupported = 1;
  p->isLargeBar = 1;
}

void describe_limits(const hipDeviceProp_tR0600& from,
                     hipDeviceProp_tR0000* p) {
  p->totalGlobalMem = from.totalGlobalMem;
  p->sharedMemPerBlock = from.sharedMemPerBlock;
  p->regsPerBlock = from.regsPerBlock;
  p->warpSize = from.warpSize;
  p->maxThreadsPerBlock = from.maxThreadsPerBlock;
  std::memcpy(p->maxThreadsDim, from.maxThreadsDim, sizeof(p->maxThreadsDim));
  std::memcpy(p->maxGridSize, from.maxGridSize, sizeof(p->maxGridSize));
  p->totalConstMem = from.totalConstMem;
  p->l2CacheSize = from.l2CacheSize;
  p->maxThreadsPerMultiProcessor = from.maxThreadsPerMultiProcessor;
  p->maxSharedMemoryPerMultiProcessor = from.maxSharedMemoryPerMultiProcessor;
  p->memPitch = from.memPitch;
  p->textureAlignment = from.textureAlignment;
  p->texturePitchAlignment = from.texturePitchAlignment;
}

// The number after "gfx", which older programs read: 942 of gfx942.
int arch_number(const char* name) {
  int value = 0;
  std::sscanf(name, "gfx%d", &value);
  return value;
}

void describe_old(int device, hipDeviceProp_tR0000* p) {
  hipDeviceProp_tR0600 from;
  describe(device, &from);
  *p = {};
  std::memcpy(p->name, from.name, sizeof(p->name));
  describe_limits(from, p);
  p->clockRate = from.clockRate;
  p->memoryClockRate = from.memoryClockRate;
  p->memoryBusWidth = from.memoryBusWidth;
  p->clockInstructionRate = from.clockInstructionRate;
  p->major = from.major;
  p->minor = from.minor;
  p->multiProcessorCount = from.multiProcessorCount;
  p->arch = from.arch;
  p->pciBusID = from.pciBusID;
  p->gcnArch = arch_number(from.gcnArchName);
  std::memcpy(p->gcnArchName, from.gcnArchName, sizeof(p->gcnArchName));
  p->concurrentKernels = from.concurrentKernels;
  p->canMapHostMemory = from.canMapHostMemory;
  p->cooperativeLaunch = from.cooperativeLaunch;
  p->managedMemory = from.managedMemory;
  p->concurrentManagedAccess = from.concurrentManagedAccess;
  p->isLargeBar = from.isLargeBar;
}

}  // namespace

void describe(int device, hipDeviceProp_tR0600* properties) {
  *properties = {};
  describe_identity(device, properties);
  describe_size(device, properties);
  describe_launches(device, properties);
  describe_abilities(properties);
}

void write_pci_bus_id(int device, char* text, int size) {
  std::snprintf(text, static_cast<std::size_t>(size), "0000:%02x:00.0",
                static_cast<unsigned>(emulator::device_facts(device).pci_bus));
}

}  // namespace eclosion::hip

using namespace eclosion::hip;

#undef hipGetDeviceProperties

extern "C" {

hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600* properties,
                                       int device) {
  return call(__func__, [&] {
    if (properties == nullptr) return hipErrorInvalidValue;
    if (!is_device(device)) return hipErrorInvalidDevice;
    describe(device, properties);
    return hipSuccess;
  });
}

hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_tR0000* properties,
                                       int device) {
  return call(__func__, [&] {
    if (properties == nullptr) return hipErrorInvalidValue;
    if (!is_device(device)) return hipErrorInvalidDevice;
    describe_old(device, properties);
    return hipSuccess;
  });
}

hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000* properties,
                                  int device) {
  return hipGetDevicePropertiesR0000(properties, device);
}

}  // extern "C"
