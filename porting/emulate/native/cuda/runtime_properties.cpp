// cudaDeviceProp: the attributes of a device in one struct.
#include <algorithm>
#include <cstring>

#include "attributes.h"
#include "device.h"
#include "front.h"
#include "memory.h"

namespace eclosion::cuda {
namespace {

// A member, and the attribute that it holds.
template <typename Member>
struct Row {
  Member cudaDeviceProp::* member;
  cudaDeviceAttr attribute;
};

constexpr Row<int> kNumbers[] = {
    {&cudaDeviceProp::regsPerBlock, cudaDevAttrMaxRegistersPerBlock},
    {&cudaDeviceProp::warpSize, cudaDevAttrWarpSize},
    {&cudaDeviceProp::maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock},
    {&cudaDeviceProp::major, cudaDevAttrComputeCapabilityMajor},
    {&cudaDeviceProp::minor, cudaDevAttrComputeCapabilityMinor},
    {&cudaDeviceProp::multiProcessorCount, cudaDevAttrMultiProcessorCount},
    {&cudaDeviceProp::integrated, cudaDevAttrIntegrated},
    {&cudaDeviceProp::canMapHostMemory, cudaDevAttrCanMapHostMemory},
    {&cudaDeviceProp::maxTexture1D, cudaDevAttrMaxTexture1DWidth},
    {&cudaDeviceProp::maxTexture1DMipmap,
     cudaDevAttrMaxTexture1DMipmappedWidth},
    {&cudaDeviceProp::maxTextureCubemap, cudaDevAttrMaxTextureCubemapWidth},
    {&cudaDeviceProp::maxSurface1D, cudaDevAttrMaxSurface1DWidth},
    {&cudaDeviceProp::maxSurfaceCubemap, cudaDevAttrMaxSurfaceCubemapWidth},
    {&cudaDeviceProp::concurrentKernels, cudaDevAttrConcurrentKernels},
    {&cudaDeviceProp::ECCEnabled, cudaDevAttrEccEnabled},
    {&cudaDeviceProp::pciBusID, cudaDevAttrPciBusId},
    {&cudaDeviceProp::pciDeviceID, cudaDevAttrPciDeviceId},
    {&cudaDeviceProp::pciDomainID, cudaDevAttrPciDomainId},
    {&cudaDeviceProp::tccDriver, cudaDevAttrTccDriver},
    {&cudaDeviceProp::asyncEngineCount, cudaDevAttrAsyncEngineCount},
    {&cudaDeviceProp::unifiedAddressing, cudaDevAttrUnifiedAddressing},
    {&cudaDeviceProp::memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth},
    {&cudaDeviceProp::l2CacheSize, cudaDevAttrL2CacheSize},
    {&cudaDeviceProp::persistingL2CacheMaxSize,
     cudaDevAttrMaxPersistingL2CacheSize},
    {&cudaDeviceProp::maxThreadsPerMultiProcessor,
     cudaDevAttrMaxThreadsPerMultiProcessor},
    {&cudaDeviceProp::streamPrioritiesSupported,
     cudaDevAttrStreamPrioritiesSupported},
    {&cudaDeviceProp::globalL1CacheSupported,
     cudaDevAttrGlobalL1CacheSupported},
    {&cudaDeviceProp::localL1CacheSupported, cudaDevAttrLocalL1CacheSupported},
    {&cudaDeviceProp::regsPerMultiprocessor,
     cudaDevAttrMaxRegistersPerMultiprocessor},
    {&cudaDeviceProp::managedMemory, cudaDevAttrManagedMemory},
    {&cudaDeviceProp::isMultiGpuBoard, cudaDevAttrIsMultiGpuBoard},
    {&cudaDeviceProp::multiGpuBoardGroupID, cudaDevAttrMultiGpuBoardGroupID},
    {&cudaDeviceProp::hostNativeAtomicSupported,
     cudaDevAttrHostNativeAtomicSupported},
    {&cudaDeviceProp::pageableMemoryAccess, cudaDevAttrPageableMemoryAccess},
    {&cudaDeviceProp::concurrentManagedAccess,
     cudaDevAttrConcurrentManagedAccess},
    {&cudaDeviceProp::computePreemptionSupported,
     cudaDevAttrComputePreemptionSupported},
    {&cudaDeviceProp::canUseHostPointerForRegisteredMem,
     cudaDevAttrCanUseHostPointerForRegisteredMem},
    {&cudaDeviceProp::cooperativeLaunch, cudaDevAttrCooperativeLaunch},
    {&cudaDeviceProp::pageableMemoryAccessUsesHostPageTables,
     cudaDevAttrPageableMemoryAccessUsesHostPageTables},
    {&cudaDeviceProp::directManagedMemAccessFromHost,
     cudaDevAttrDirectManagedMemAccessFromHost},
    {&cudaDeviceProp::maxBlocksPerMultiProcessor,
     cudaDevAttrMaxBlocksPerMultiprocessor},
    {&cudaDeviceProp::accessPolicyMaxWindowSize,
     cudaDevAttrMaxAccessPolicyWindowSize},
    {&cudaDeviceProp::hostRegisterSupported, cudaDevAttrHostRegisterSupported},
    {&cudaDeviceProp::sparseCudaArraySupported,
     cudaDevAttrSparseCudaArraySupported},
    {&cudaDeviceProp::hostRegisterReadOnlySupported,
     cudaDevAttrHostRegisterReadOnlySupported},
    {&cudaDeviceProp::timelineSemaphoreInteropSupported,
     cudaDevAttrTimelineSemaphoreInteropSupported},
    {&cudaDeviceProp::memoryPoolsSupported, cudaDevAttrMemoryPoolsSupported},
    {&cudaDeviceProp::gpuDirectRDMASupported,
     cudaDevAttrGPUDirectRDMASupported},
    {&cudaDeviceProp::gpuDirectRDMAWritesOrdering,
     cudaDevAttrGPUDirectRDMAWritesOrdering},
    {&cudaDeviceProp::deferredMappingCudaArraySupported,
     cudaDevAttrDeferredMappingCudaArraySupported},
    {&cudaDeviceProp::ipcEventSupported, cudaDevAttrIpcEventSupport},
    {&cudaDeviceProp::clusterLaunch, cudaDevAttrClusterLaunch},
    {&cudaDeviceProp::deviceNumaConfig, cudaDevAttrNumaConfig},
    {&cudaDeviceProp::deviceNumaId, cudaDevAttrNumaId},
    {&cudaDeviceProp::mpsEnabled, cudaDevAttrMpsEnabled},
    {&cudaDeviceProp::hostNumaId, cudaDevAttrHostNumaId},
    {&cudaDeviceProp::hostNumaMultinodeIpcSupported,
     cudaDevAttrHostNumaMultinodeIpcSupported},
};

constexpr Row<std::size_t> kSizes[] = {
    {&cudaDeviceProp::sharedMemPerBlock, cudaDevAttrMaxSharedMemoryPerBlock},
    {&cudaDeviceProp::memPitch, cudaDevAttrMaxPitch},
    {&cudaDeviceProp::totalConstMem, cudaDevAttrTotalConstantMemory},
    {&cudaDeviceProp::textureAlignment, cudaDevAttrTextureAlignment},
    {&cudaDeviceProp::texturePitchAlignment, cudaDevAttrTexturePitchAlignment},
    {&cudaDeviceProp::surfaceAlignment, cudaDevAttrSurfaceAlignment},
    {&cudaDeviceProp::sharedMemPerMultiprocessor,
     cudaDevAttrMaxSharedMemoryPerMultiprocessor},
    {&cudaDeviceProp::sharedMemPerBlockOptin,
     cudaDevAttrMaxSharedMemoryPerBlockOptin},
    {&cudaDeviceProp::reservedSharedMemPerBlock,
     cudaDevAttrReservedSharedMemoryPerBlock},
};

int ask(int device, cudaDeviceAttr attribute) {
  int value = 0;
  device_attribute(device, attribute, &value);
  return value;
}

template <std::size_t size>
void fill(int device, const cudaDeviceAttr (&attributes)[size],
          int (&values)[size]) {
  for (std::size_t i = 0; i < size; ++i) values[i] = ask(device, attributes[i]);
}

void fill_textures(int device, cudaDeviceProp* p) {
  fill(device, {cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight},
       p->maxTexture2D);
  fill(device,
       {cudaDevAttrMaxTexture2DMipmappedWidth,
        cudaDevAttrMaxTexture2DMipmappedHeight},
       p->maxTexture2DMipmap);
  fill(device,
       {cudaDevAttrMaxTexture2DLinearWidth, cudaDevAttrMaxTexture2DLinearHeight,
        cudaDevAttrMaxTexture2DLinearPitch},
       p->maxTexture2DLinear);
  fill(
      device,
      {cudaDevAttrMaxTexture2DGatherWidth, cudaDevAttrMaxTexture2DGatherHeight},
      p->maxTexture2DGather);
  fill(device,
       {cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight,
        cudaDevAttrMaxTexture3DDepth},
       p->maxTexture3D);
  fill(device,
       {cudaDevAttrMaxTexture3DWidthAlt, cudaDevAttrMaxTexture3DHeightAlt,
        cudaDevAttrMaxTexture3DDepthAlt},
       p->maxTexture3DAlt);
  fill(device,
       {cudaDevAttrMaxTexture1DLayeredWidth,
        cudaDevAttrMaxTexture1DLayeredLayers},
       p->maxTexture1DLayered);
  fill(device,
       {cudaDevAttrMaxTexture2DLayeredWidth,
        cudaDevAttrMaxTexture2DLayeredHeight,
        cudaDevAttrMaxTexture2DLayeredLayers},
       p->maxTexture2DLayered);
  fill(device,
       {cudaDevAttrMaxTextureCubemapLayeredWidth,
        cudaDevAttrMaxTextureCubemapLayeredLayers},
       p->maxTextureCubemapLayered);
}

void fill_surfaces(int device, cudaDeviceProp* p) {
  fill(device, {cudaDevAttrMaxSurface2DWidth, cudaDevAttrMaxSurface2DHeight},
       p->maxSurface2D);
  fill(device,
       {cudaDevAttrMaxSurface3DWidth, cudaDevAttrMaxSurface3DHeight,
        cudaDevAttrMaxSurface3DDepth},
       p->maxSurface3D);
  fill(device,
       {cudaDevAttrMaxSurface1DLayeredWidth,
        cudaDevAttrMaxSurface1DLayeredLayers},
       p->maxSurface1DLayered);
  fill(device,
       {cudaDevAttrMaxSurface2DLayeredWidth,
        cudaDevAttrMaxSurface2DLayeredHeight,
        cudaDevAttrMaxSurface2DLayeredLayers},
       p->maxSurface2DLayered);
  fill(device,
       {cudaDevAttrMaxSurfaceCubemapLayeredWidth,
        cudaDevAttrMaxSurfaceCubemapLayeredLayers},
       p->maxSurfaceCubemapLayered);
}

cudaDeviceProp properties_of(int device) {
  const emulator::DeviceFacts& facts = emulator::device_facts(device);
  cudaDeviceProp p{};
  facts.name.copy(p.name, sizeof(p.name) - 1);
  std::memcpy(p.uuid.bytes, facts.uuid, sizeof(p.uuid.bytes));
  p.totalGlobalMem = emulator::Memory::get().total(device);
  for (const auto& row : kNumbers) p.*row.member = ask(device, row.attribute);
  for (const auto& row : kSizes) {
    p.*row.member = static_cast<std::size_t>(ask(device, row.attribute));
  }
  fill(device,
       {cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY,
        cudaDevAttrMaxBlockDimZ},
       p.maxThreadsDim);
  fill(device,
       {cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ},
       p.maxGridSize);
  fill_textures(device, &p);
  fill_surfaces(device, &p);
  return p;
}

// How far a device is from what is asked for: the newest that is as new, else
// the newest.
bool is_nearer(const cudaDeviceProp& wanted, const cudaDeviceProp& one,
               const cudaDeviceProp& other) {
  const auto rank = [&](const cudaDeviceProp& p) {
    const bool is_enough = p.major > wanted.major ||
                           (p.major == wanted.major && p.minor >= wanted.minor);
    return std::pair(is_enough && p.totalGlobalMem >= wanted.totalGlobalMem,
                     p.major * 10 + p.minor);
  };
  return rank(one) > rank(other);
}

}  // namespace
}  // namespace eclosion::cuda

using namespace eclosion::cuda;

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (properties == nullptr) return Status::kInvalidValue;
    if (!is_device(device)) return Status::kInvalidDevice;
    *properties = properties_of(device);
    return Status::kSuccess;
  });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (device == nullptr || wanted == nullptr) return Status::kInvalidValue;
    int best = 0;
    for (int other = 1; is_device(other); ++other) {
      if (is_nearer(*wanted, properties_of(other), properties_of(best))) {
        best = other;
      }
    }
    *device = best;
    return Status::kSuccess;
  });
}
