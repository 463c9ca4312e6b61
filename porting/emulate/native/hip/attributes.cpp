// hipDeviceGetAttribute: a table of the attributes, over a device's properties.
#include "devices.h"
#include "front.h"

namespace eclosion::hip {

namespace {

using Properties = hipDeviceProp_tR0600;

struct Row {
  hipDeviceAttribute_t attribute;
  long long (*value)(const Properties&);
};

#define ECLOSION_ROW(attribute, expression)                 \
  {hipDeviceAttribute##attribute, [](const Properties& p) { \
     (void)p;                                               \
     return static_cast<long long>(expression);             \
   }}

// What is not here has the value 0: what the emulator does not have (textures,
// surfaces), and what the header calls "Cuda only".
constexpr Row kRows[] = {
    ECLOSION_ROW(AsyncEngineCount, p.asyncEngineCount),
    ECLOSION_ROW(CanMapHostMemory, p.canMapHostMemory),
    ECLOSION_ROW(CanUseHostPointerForRegisteredMem,
                 p.canUseHostPointerForRegisteredMem),
    ECLOSION_ROW(ClockRate, p.clockRate),
    ECLOSION_ROW(ConcurrentKernels, p.concurrentKernels),
    ECLOSION_ROW(ConcurrentManagedAccess, p.concurrentManagedAccess),
    ECLOSION_ROW(CooperativeLaunch, p.cooperativeLaunch),
    ECLOSION_ROW(DeviceOverlap, p.deviceOverlap),
    ECLOSION_ROW(L2CacheSize, p.l2CacheSize),
    ECLOSION_ROW(ComputeCapabilityMajor, p.major),
    ECLOSION_ROW(ComputeCapabilityMinor, p.minor),
    ECLOSION_ROW(ManagedMemory, p.managedMemory),
    ECLOSION_ROW(MaxBlocksPerMultiProcessor, p.maxBlocksPerMultiProcessor),
    ECLOSION_ROW(MaxBlockDimX, p.maxThreadsDim[0]),
    ECLOSION_ROW(MaxBlockDimY, p.maxThreadsDim[1]),
    ECLOSION_ROW(MaxBlockDimZ, p.maxThreadsDim[2]),
    ECLOSION_ROW(MaxGridDimX, p.maxGridSize[0]),
    ECLOSION_ROW(MaxGridDimY, p.maxGridSize[1]),
    ECLOSION_ROW(MaxGridDimZ, p.maxGridSize[2]),
    ECLOSION_ROW(MaxThreadsDim, p.maxThreadsDim[0]),
    ECLOSION_ROW(MaxThreadsPerBlock, p.maxThreadsPerBlock),
    ECLOSION_ROW(MaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor),
    ECLOSION_ROW(MaxPitch, p.memPitch),
    ECLOSION_ROW(MemoryBusWidth, p.memoryBusWidth),
    ECLOSION_ROW(MemoryClockRate, p.memoryClockRate),
    ECLOSION_ROW(MultiGpuBoardGroupID, p.multiGpuBoardGroupID),
    ECLOSION_ROW(MultiprocessorCount, p.multiProcessorCount),
    ECLOSION_ROW(PciBusId, p.pciBusID),
    ECLOSION_ROW(PciDeviceId, p.pciDeviceID),
    ECLOSION_ROW(PciDomainId, p.pciDomainID),
    ECLOSION_ROW(MaxRegistersPerBlock, p.regsPerBlock),
    ECLOSION_ROW(MaxRegistersPerMultiprocessor, p.regsPerMultiprocessor),
    ECLOSION_ROW(MaxSharedMemoryPerBlock, p.sharedMemPerBlock),
    ECLOSION_ROW(SharedMemPerBlockOptin, p.sharedMemPerBlockOptin),
    ECLOSION_ROW(SharedMemPerMultiprocessor, p.sharedMemPerMultiprocessor),
    ECLOSION_ROW(StreamPrioritiesSupported, p.streamPrioritiesSupported),
    ECLOSION_ROW(TextureAlignment, p.textureAlignment),
    ECLOSION_ROW(TexturePitchAlignment, p.texturePitchAlignment),
    ECLOSION_ROW(TotalConstantMemory, p.totalConstMem),
    ECLOSION_ROW(TotalGlobalMem, p.totalGlobalMem),
    ECLOSION_ROW(UnifiedAddressing, p.unifiedAddressing),
    ECLOSION_ROW(WarpSize, p.warpSize),
    ECLOSION_ROW(MemoryPoolsSupported, p.memoryPoolsSupported),
    ECLOSION_ROW(VirtualMemoryManagementSupported, 1),
    ECLOSION_ROW(HostRegisterSupported, p.hostRegisterSupported),
    ECLOSION_ROW(MemoryPoolSupportedHandleTypes,
                 p.memoryPoolSupportedHandleTypes),
    ECLOSION_ROW(ClockInstructionRate, p.clockInstructionRate),
    ECLOSION_ROW(MaxSharedMemoryPerMultiprocessor,
                 p.maxSharedMemoryPerMultiProcessor),
    ECLOSION_ROW(IsLargeBar, p.isLargeBar),
    ECLOSION_ROW(CanUseStreamWaitValue, 1),
    ECLOSION_ROW(PhysicalMultiProcessorCount, p.multiProcessorCount),
    ECLOSION_ROW(FineGrainSupport, 1),
    ECLOSION_ROW(WallClockRate, p.clockInstructionRate),
    ECLOSION_ROW(NumberOfXccs, 1),
};

#undef ECLOSION_ROW

bool is_attribute(hipDeviceAttribute_t a) {
  const bool is_shared = a >= hipDeviceAttributeCudaCompatibleBegin &&
                         a <= hipDeviceAttributeMemoryPoolSupportedHandleTypes;
  return is_shared || (a >= hipDeviceAttributeAmdSpecificBegin &&
                       a <= hipDeviceAttributePciChipId);
}

// The interface gives an int; a size beyond is its largest, as the vendor's
// runtime gives it.
int narrowed(long long value) {
  constexpr long long kMost = 0x7fffffff;
  return static_cast<int>(value > kMost ? kMost : value);
}

int value_of(hipDeviceAttribute_t attribute, int device) {
  for (const Row& row : kRows) {
    if (row.attribute != attribute) continue;
    Properties properties;
    describe(device, &properties);
    return narrowed(row.value(properties));
  }
  return 0;
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;

extern "C" hipError_t hipDeviceGetAttribute(int* value,
                                            hipDeviceAttribute_t attribute,
                                            int device) {
  return call(__func__, [&] {
    if (value == nullptr || !is_attribute(attribute)) {
      return hipErrorInvalidValue;
    }
    if (!is_device(device)) return hipErrorInvalidDevice;
    *value = value_of(attribute, device);
    return hipSuccess;
  });
}
