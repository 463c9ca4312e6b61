// Versions of functions that came before those that cuda.h names: programs that
// were built long ago, or look names up by themselves, use them.
//
// Only what means the same on machines with addresses of 64 bits; the others
// took addresses of 32.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

extern "C" {

CUresult cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device) {
  return cuCtxCreate_v4(context, nullptr, flags, device);
}

CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
  return cuCtxCreate_v4(context, nullptr, flags, device);
}

CUresult cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam* /*affinity*/,
                        int count, unsigned flags, CUdevice device) {
  if (count != 0) return CUDA_ERROR_NOT_SUPPORTED;
  return cuCtxCreate_v4(context, nullptr, flags, device);
}

CUresult cuCtxDestroy(CUcontext context) { return cuCtxDestroy_v2(context); }

CUresult cuCtxPushCurrent(CUcontext context) {
  return cuCtxPushCurrent_v2(context);
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  return cuCtxPopCurrent_v2(context);
}

CUresult cuStreamDestroy(CUstream stream) { return cuStreamDestroy_v2(stream); }

CUresult cuEventDestroy(CUevent event) { return cuEventDestroy_v2(event); }

CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  return cuEventElapsedTime_v2(milliseconds, begin, end);
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return cuDevicePrimaryCtxRelease_v2(device);
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return cuDevicePrimaryCtxReset_v2(device);
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return cuDeviceGetUuid_v2(uuid, device);
}

CUresult cuMemHostRegister(void* address, size_t size, unsigned flags) {
  return cuMemHostRegister_v2(address, size, flags);
}

CUresult cuIpcOpenMemHandle(CUdeviceptr* address, CUipcMemHandle handle,
                            unsigned flags) {
  return cuIpcOpenMemHandle_v2(address, handle, flags);
}

CUresult cuStreamBeginCapture(CUstream stream) {
  return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* state,
                                cuuint64_t* id) {
  return cuStreamGetCaptureInfo_v3(stream, state, id, nullptr, nullptr, nullptr,
                                   nullptr);
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream,
                                   CUstreamCaptureStatus* state, cuuint64_t* id,
                                   CUgraph* graph, const CUgraphNode** nodes,
                                   size_t* count) {
  return cuStreamGetCaptureInfo_v3(stream, state, id, graph, nodes, nullptr,
                                   count);
}

CUresult cuGetProcAddress(const char* name, void** address, int release,
                          cuuint64_t flags) {
  return cuGetProcAddress_v2(name, address, release, flags, nullptr);
}

}  // extern "C"
