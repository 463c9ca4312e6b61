// Attributes of streams by the runtime's functions.
#include "front.h"
#include "stream_attributes.h"

using namespace eclosion::cuda;

static_assert(sizeof(cudaStreamAttrValue) == sizeof(CUstreamAttrValue));
static_assert(static_cast<int>(cudaLaunchAttributePriority) ==
              CU_LAUNCH_ATTRIBUTE_PRIORITY);
static_assert(static_cast<int>(cudaLaunchAttributeMemSyncDomain) ==
              CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN);

cudaError_t cudaStreamSetAttribute(cudaStream_t stream,
                                   cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return set_stream_attribute(
        stream, static_cast<CUstreamAttrID>(attribute),
        reinterpret_cast<const CUstreamAttrValue*>(value));
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream,
                                   cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return get_stream_attribute(stream, static_cast<CUstreamAttrID>(attribute),
                                reinterpret_cast<CUstreamAttrValue*>(value));
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return copy_stream_attributes(to, from);
  });
}
