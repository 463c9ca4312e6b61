// The functions that a program gets which is compiled with
// -fgpu-default-stream=per-thread: null is the thread's own stream.
#include "front.h"

namespace {

hipStream_t own(hipStream_t stream) {
  return stream == nullptr ? hipStreamPerThread : stream;
}

// A form without a stream: the one with Async in the thread's, and a wait.
hipError_t awaited(hipError_t status) {
  return status != hipSuccess ? status
                              : hipStreamSynchronize(hipStreamPerThread);
}

}  // namespace

extern "C" {

hipError_t hipMemcpy_spt(void* to, const void* from, std::size_t size,
                         hipMemcpyKind kind) {
  return awaited(hipMemcpyAsync(to, from, size, kind, hipStreamPerThread));
}

hipError_t hipMemcpyToSymbol_spt(const void* symbol, const void* src,
                                 std::size_t sizeBytes, std::size_t offset,
                                 hipMemcpyKind kind) {
  return awaited(hipMemcpyToSymbolAsync(symbol, src, sizeBytes, offset, kind,
                                        hipStreamPerThread));
}

hipError_t hipMemcpyFromSymbol_spt(void* dst, const void* symbol,
                                   std::size_t sizeBytes, std::size_t offset,
                                   hipMemcpyKind kind) {
  return awaited(hipMemcpyFromSymbolAsync(dst, symbol, sizeBytes, offset, kind,
                                          hipStreamPerThread));
}

hipError_t hipMemcpy2D_spt(void* dst, std::size_t dpitch, const void* src,
                           std::size_t spitch, std::size_t width,
                           std::size_t height, hipMemcpyKind kind) {
  return awaited(hipMemcpy2DAsync(dst, dpitch, src, spitch, width, height, kind,
                                  hipStreamPerThread));
}

hipError_t hipMemcpy3D_spt(const hipMemcpy3DParms* p) {
  return awaited(hipMemcpy3DAsync(p, hipStreamPerThread));
}

hipError_t hipMemset_spt(void* dst, int value, std::size_t sizeBytes) {
  return awaited(hipMemsetAsync(dst, value, sizeBytes, hipStreamPerThread));
}

hipError_t hipMemsetAsync_spt(void* dst, int value, std::size_t sizeBytes,
                              hipStream_t stream) {
  return hipMemsetAsync(dst, value, sizeBytes, own(stream));
}

hipError_t hipMemset2D_spt(void* dst, std::size_t pitch, int value,
                           std::size_t width, std::size_t height) {
  return awaited(
      hipMemset2DAsync(dst, pitch, value, width, height, hipStreamPerThread));
}

hipError_t hipMemset2DAsync_spt(void* dst, std::size_t pitch, int value,
                                std::size_t width, std::size_t height,
                                hipStream_t stream) {
  return hipMemset2DAsync(dst, pitch, value, width, height, own(stream));
}

hipError_t hipMemset3DAsync_spt(hipPitchedPtr pitchedDevPtr, int value,
                                hipExtent extent, hipStream_t stream) {
  return hipMemset3DAsync(pitchedDevPtr, value, extent, own(stream));
}

hipError_t hipMemset3D_spt(hipPitchedPtr pitchedDevPtr, int value,
                           hipExtent extent) {
  return awaited(
      hipMemset3DAsync(pitchedDevPtr, value, extent, hipStreamPerThread));
}

hipError_t hipMemcpyAsync_spt(void* dst, const void* src, std::size_t sizeBytes,
                              hipMemcpyKind kind, hipStream_t stream) {
  return hipMemcpyAsync(dst, src, sizeBytes, kind, own(stream));
}

hipError_t hipMemcpy3DAsync_spt(const hipMemcpy3DParms* p, hipStream_t stream) {
  return hipMemcpy3DAsync(p, own(stream));
}

hipError_t hipMemcpy2DAsync_spt(void* dst, std::size_t dpitch, const void* src,
                                std::size_t spitch, std::size_t width,
                                std::size_t height, hipMemcpyKind kind,
                                hipStream_t stream) {
  return hipMemcpy2DAsync(dst, dpitch, src, spitch, width, height, kind,
                          own(stream));
}

hipError_t hipMemcpyFromSymbolAsync_spt(void* dst, const void* symbol,
                                        std::size_t sizeBytes,
                                        std::size_t offset, hipMemcpyKind kind,
                                        hipStream_t stream) {
  return hipMemcpyFromSymbolAsync(dst, symbol, sizeBytes, offset, kind,
                                  own(stream));
}

hipError_t hipMemcpyToSymbolAsync_spt(const void* symbol, const void* src,
                                      std::size_t sizeBytes, std::size_t offset,
                                      hipMemcpyKind kind, hipStream_t stream) {
  return hipMemcpyToSymbolAsync(symbol, src, sizeBytes, offset, kind,
                                own(stream));
}

hipError_t hipStreamQuery_spt(hipStream_t stream) {
  return hipStreamQuery(own(stream));
}

hipError_t hipStreamSynchronize_spt(hipStream_t stream) {
  return hipStreamSynchronize(own(stream));
}

hipError_t hipStreamGetPriority_spt(hipStream_t stream, int* priority) {
  return hipStreamGetPriority(own(stream), priority);
}

hipError_t hipStreamWaitEvent_spt(hipStream_t stream, hipEvent_t event,
                                  unsigned int flags) {
  return hipStreamWaitEvent(own(stream), event, flags);
}

hipError_t hipStreamGetFlags_spt(hipStream_t stream, unsigned int* flags) {
  return hipStreamGetFlags(own(stream), flags);
}

hipError_t hipStreamAddCallback_spt(hipStream_t stream,
                                    hipStreamCallback_t callback,
                                    void* userData, unsigned int flags) {
  return hipStreamAddCallback(own(stream), callback, userData, flags);
}

hipError_t hipEventRecord_spt(hipEvent_t event, hipStream_t stream) {
  return hipEventRecord(event, own(stream));
}

hipError_t hipLaunchCooperativeKernel_spt(const void* f, dim3 gridDim,
                                          dim3 blockDim, void** kernelParams,
                                          uint32_t sharedMemBytes,
                                          hipStream_t hStream) {
  return hipLaunchCooperativeKernel(f, gridDim, blockDim, kernelParams,
                                    sharedMemBytes, own(hStream));
}

hipError_t hipLaunchKernel_spt(const void* function_address, dim3 numBlocks,
                               dim3 dimBlocks, void** args,
                               std::size_t sharedMemBytes, hipStream_t stream) {
  return hipLaunchKernel(function_address, numBlocks, dimBlocks, args,
                         sharedMemBytes, own(stream));
}

hipError_t hipGraphLaunch_spt(hipGraphExec_t graphExec, hipStream_t stream) {
  return hipGraphLaunch(graphExec, own(stream));
}

hipError_t hipStreamBeginCapture_spt(hipStream_t stream,
                                     hipStreamCaptureMode mode) {
  return hipStreamBeginCapture(own(stream), mode);
}

hipError_t hipStreamEndCapture_spt(hipStream_t stream, hipGraph_t* pGraph) {
  return hipStreamEndCapture(own(stream), pGraph);
}

hipError_t hipStreamIsCapturing_spt(hipStream_t stream,
                                    hipStreamCaptureStatus* pCaptureStatus) {
  return hipStreamIsCapturing(own(stream), pCaptureStatus);
}

hipError_t hipStreamGetCaptureInfo_spt(hipStream_t stream,
                                       hipStreamCaptureStatus* pCaptureStatus,
                                       unsigned long long* pId) {
  return hipStreamGetCaptureInfo(own(stream), pCaptureStatus, pId);
}

hipError_t hipStreamGetCaptureInfo_v2_spt(
    hipStream_t stream, hipStreamCaptureStatus* captureStatus_out,
    unsigned long long* id_out, hipGraph_t* graph_out,
    const hipGraphNode_t** dependencies_out, std::size_t* numDependencies_out) {
  return hipStreamGetCaptureInfo_v2(own(stream), captureStatus_out, id_out,
                                    graph_out, dependencies_out,
                                    numDependencies_out);
}

hipError_t hipLaunchHostFunc_spt(hipStream_t stream, hipHostFn_t fn,
                                 void* userData) {
  return hipLaunchHostFunc(own(stream), fn, userData);
}

}  // extern "C"
