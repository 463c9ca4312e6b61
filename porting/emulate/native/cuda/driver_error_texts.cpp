// What the vendor's functions print of each number: the runtime's names, and
// the sentences of both libraries.
//
// Programs compare and print these, so they are the vendor's own, word for
// word. A number that both libraries have has one sentence.
#include <cuda.h>
#include <driver_types.h>

#include <algorithm>
#include <iterator>

#include "statuses.h"

namespace eclosion::cuda {
namespace {

struct Row {
  int number;
  const char* name;
  const char* text;
};

#define ECLOSION_ROW(name, text) {name, #name, text},

constexpr Row kRuntime[] = {
    // clang-format off
    ECLOSION_ROW(cudaSuccess, "no error")
    ECLOSION_ROW(cudaErrorInvalidValue, "invalid argument")
    ECLOSION_ROW(cudaErrorMemoryAllocation, "out of memory")
    ECLOSION_ROW(cudaErrorInitializationError, "initialization error")
    ECLOSION_ROW(cudaErrorCudartUnloading, "driver shutting down")
    ECLOSION_ROW(cudaErrorProfilerDisabled,
                 "profiler disabled while using external profiling tool")
    ECLOSION_ROW(cudaErrorProfilerNotInitialized,
                 "profiler not initialized: call cudaProfilerInitialize()")
    ECLOSION_ROW(cudaErrorProfilerAlreadyStarted, "profiler already started")
    ECLOSION_ROW(cudaErrorProfilerAlreadyStopped, "profiler already stopped")
    ECLOSION_ROW(cudaErrorInvalidConfiguration,
                 "invalid configuration argument")
    ECLOSION_ROW(cudaErrorInvalidPitchValue, "invalid pitch argument")
    ECLOSION_ROW(cudaErrorInvalidSymbol, "invalid device symbol")
    ECLOSION_ROW(cudaErrorInvalidHostPointer, "invalid host pointer")
    ECLOSION_ROW(cudaErrorInvalidDevicePointer, "invalid device pointer")
    ECLOSION_ROW(cudaErrorInvalidTexture, "invalid texture reference")
    ECLOSION_ROW(cudaErrorInvalidTextureBinding,
                 "texture is not bound to a pointer")
    ECLOSION_ROW(cudaErrorInvalidChannelDescriptor,
                 "invalid channel descriptor")
    ECLOSION_ROW(cudaErrorInvalidMemcpyDirection,
                 "invalid copy direction for memcpy")
    ECLOSION_ROW(cudaErrorAddressOfConstant, "invalid address of constant")
    ECLOSION_ROW(cudaErrorTextureFetchFailed, "fetch from texture failed")
    ECLOSION_ROW(cudaErrorTextureNotBound,
                 "cannot fetch from a texture that is not bound")
    ECLOSION_ROW(cudaErrorSynchronizationError,
                 "incorrect use of __syncthreads()")
    ECLOSION_ROW(cudaErrorInvalidFilterSetting,
                 "linear filtering not supported for non-float type")
    ECLOSION_ROW(cudaErrorInvalidNormSetting,
                 "read as normalized float not supported for data type")
    ECLOSION_ROW(cudaErrorMixedDeviceExecution,
                 "device emulation mode and device execution mode cannot be mixed")
    ECLOSION_ROW(cudaErrorNotYetImplemented, "feature not yet implemented")
    ECLOSION_ROW(cudaErrorMemoryValueTooLarge,
                 "memory size or pointer value too large to fit in 32 bit")
    ECLOSION_ROW(cudaErrorStubLibrary, "CUDA driver is a stub library")
    ECLOSION_ROW(cudaErrorInsufficientDriver,
                 "CUDA driver version is insufficient for CUDA runtime version")
    ECLOSION_ROW(cudaErrorCallRequiresNewerDriver,
                 "API call is not supported in the installed CUDA driver")
    ECLOSION_ROW(cudaErrorInvalidSurface, "invalid surface reference")
    ECLOSION_ROW(cudaErrorDuplicateVariableName,
                 "duplicate global variable looked up by string name")
    ECLOSION_ROW(cudaErrorDuplicateTextureName,
                 "duplicate texture looked up by string name")
    ECLOSION_ROW(cudaErrorDuplicateSurfaceName,
                 "duplicate surface looked up by string name")
    ECLOSION_ROW(cudaErrorDevicesUnavailable,
                 "CUDA-capable device(s) is/are busy or unavailable")
    ECLOSION_ROW(cudaErrorIncompatibleDriverContext,
                 "incompatible driver context")
    ECLOSION_ROW(cudaErrorMissingConfiguration,
                 "__global__ function call is not configured")
    ECLOSION_ROW(cudaErrorPriorLaunchFailure,
                 "unspecified launch failure in prior launch")
    ECLOSION_ROW(cudaErrorLaunchMaxDepthExceeded,
                 "launch would exceed maximum depth of nested launches")
    ECLOSION_ROW(cudaErrorLaunchFileScopedTex,
                 "launch failed because kernel uses unsupported, file-scoped "
                 "textures (texture objects are supported)")
    ECLOSION_ROW(cudaErrorLaunchFileScopedSurf,
                 "launch failed because kernel uses unsupported, file-scoped "
                 "surfaces (surface objects are supported)")
    ECLOSION_ROW(cudaErrorSyncDepthExceeded,
                 "cudaDeviceSynchronize failed because caller's grid depth exceeds "
                 "cudaLimitDevRuntimeSyncDepth")
    ECLOSION_ROW(cudaErrorLaunchPendingCountExceeded,
                 "launch failed because launch would exceed "
                 "cudaLimitDevRuntimePendingLaunchCount")
    ECLOSION_ROW(cudaErrorInvalidDeviceFunction, "invalid device function")
    ECLOSION_ROW(cudaErrorNoDevice, "no CUDA-capable device is detected")
    ECLOSION_ROW(cudaErrorInvalidDevice, "invalid device ordinal")
    ECLOSION_ROW(cudaErrorDeviceNotLicensed,
                 "device doesn't have valid Grid license")
    ECLOSION_ROW(cudaErrorSoftwareValidityNotEstablished,
                 "integrity checks failed")
    ECLOSION_ROW(cudaErrorStartupFailure, "startup failure in cuda runtime")
    ECLOSION_ROW(cudaErrorInvalidKernelImage, "device kernel image is invalid")
    ECLOSION_ROW(cudaErrorDeviceUninitialized, "invalid device context")
    ECLOSION_ROW(cudaErrorMapBufferObjectFailed,
                 "mapping of buffer object failed")
    ECLOSION_ROW(cudaErrorUnmapBufferObjectFailed,
                 "unmapping of buffer object failed")
    ECLOSION_ROW(cudaErrorArrayIsMapped, "array is mapped")
    ECLOSION_ROW(cudaErrorAlreadyMapped, "resource already mapped")
    ECLOSION_ROW(cudaErrorNoKernelImageForDevice,
                 "no kernel image is available for execution on the device")
    ECLOSION_ROW(cudaErrorAlreadyAcquired, "resource already acquired")
    ECLOSION_ROW(cudaErrorNotMapped, "resource not mapped")
    ECLOSION_ROW(cudaErrorNotMappedAsArray, "resource not mapped as array")
    ECLOSION_ROW(cudaErrorNotMappedAsPointer, "resource not mapped as pointer")
    ECLOSION_ROW(cudaErrorECCUncorrectable,
                 "uncorrectable ECC error encountered")
    ECLOSION_ROW(cudaErrorUnsupportedLimit,
                 "limit is not supported on this architecture")
    ECLOSION_ROW(cudaErrorDeviceAlreadyInUse,
                 "exclusive-thread device already in use by a different thread")
    ECLOSION_ROW(cudaErrorPeerAccessUnsupported,
                 "peer access is not supported between these two devices")
    ECLOSION_ROW(cudaErrorInvalidPtx, "a PTX JIT compilation failed")
    ECLOSION_ROW(cudaErrorInvalidGraphicsContext,
                 "invalid OpenGL or DirectX context")
    ECLOSION_ROW(cudaErrorNvlinkUncorrectable,
                 "uncorrectable NVLink error detected during the execution")
    ECLOSION_ROW(cudaErrorJitCompilerNotFound,
                 "PTX JIT compiler library not found")
    ECLOSION_ROW(cudaErrorUnsupportedPtxVersion,
                 "the provided PTX was compiled with an unsupported toolchain.")
    ECLOSION_ROW(cudaErrorJitCompilationDisabled,
                 "PTX JIT compilation was disabled")
    ECLOSION_ROW(cudaErrorUnsupportedExecAffinity,
                 "the provided execution affinity is not supported")
    ECLOSION_ROW(cudaErrorUnsupportedDevSideSync,
                 "the provided PTX contains unsupported call to "
                 "cudaDeviceSynchronize")
    ECLOSION_ROW(cudaErrorContained,
                 "Invalid access of peer GPU memory over nvlink or a hardware error")
    ECLOSION_ROW(cudaErrorInvalidSource, "device kernel image is invalid")
    ECLOSION_ROW(cudaErrorFileNotFound, "file not found")
    ECLOSION_ROW(cudaErrorSharedObjectSymbolNotFound,
                 "shared object symbol not found")
    ECLOSION_ROW(cudaErrorSharedObjectInitFailed,
                 "shared object initialization failed")
    ECLOSION_ROW(cudaErrorOperatingSystem,
                 "OS call failed or operation not supported on this OS")
    ECLOSION_ROW(cudaErrorInvalidResourceHandle, "invalid resource handle")
    ECLOSION_ROW(cudaErrorIllegalState,
                 "the operation cannot be performed in the present state")
    ECLOSION_ROW(cudaErrorLossyQuery,
                 "attempted introspection would be semantically lossy")
    ECLOSION_ROW(cudaErrorSymbolNotFound, "named symbol not found")
    ECLOSION_ROW(cudaErrorNotReady, "device not ready")
    ECLOSION_ROW(cudaErrorIllegalAddress,
                 "an illegal memory access was encountered")
    ECLOSION_ROW(cudaErrorLaunchOutOfResources,
                 "too many resources requested for launch")
    ECLOSION_ROW(cudaErrorLaunchTimeout,
                 "the launch timed out and was terminated")
    ECLOSION_ROW(cudaErrorLaunchIncompatibleTexturing,
                 "launch uses incompatible texturing mode")
    ECLOSION_ROW(cudaErrorPeerAccessAlreadyEnabled,
                 "peer access is already enabled")
    ECLOSION_ROW(cudaErrorPeerAccessNotEnabled,
                 "peer access has not been enabled")
    ECLOSION_ROW(cudaErrorSetOnActiveProcess,
                 "cannot set while device is active in this process")
    ECLOSION_ROW(cudaErrorContextIsDestroyed, "context is destroyed")
    ECLOSION_ROW(cudaErrorAssert, "device-side assert triggered")
    ECLOSION_ROW(cudaErrorTooManyPeers, "peer mapping resources exhausted")
    ECLOSION_ROW(cudaErrorHostMemoryAlreadyRegistered,
                 "part or all of the requested memory range is already mapped")
    ECLOSION_ROW(cudaErrorHostMemoryNotRegistered,
                 "pointer does not correspond to a registered memory region")
    ECLOSION_ROW(cudaErrorHardwareStackError, "hardware stack error")
    ECLOSION_ROW(cudaErrorIllegalInstruction,
                 "an illegal instruction was encountered")
    ECLOSION_ROW(cudaErrorMisalignedAddress, "misaligned address")
    ECLOSION_ROW(cudaErrorInvalidAddressSpace,
                 "operation not supported on global/shared address space")
    ECLOSION_ROW(cudaErrorInvalidPc, "invalid program counter")
    ECLOSION_ROW(cudaErrorLaunchFailure, "unspecified launch failure")
    ECLOSION_ROW(cudaErrorCooperativeLaunchTooLarge,
                 "too many blocks in cooperative launch")
    ECLOSION_ROW(cudaErrorTensorMemoryLeak,
                 "tensor memory not completely freed")
    ECLOSION_ROW(cudaErrorNotPermitted, "operation not permitted")
    ECLOSION_ROW(cudaErrorNotSupported, "operation not supported")
    ECLOSION_ROW(cudaErrorSystemNotReady, "system not yet initialized")
    ECLOSION_ROW(cudaErrorSystemDriverMismatch,
                 "system has unsupported display driver / cuda driver combination")
    ECLOSION_ROW(cudaErrorCompatNotSupportedOnDevice,
                 "forward compatibility was attempted on non supported HW")
    ECLOSION_ROW(cudaErrorMpsConnectionFailed,
                 "MPS client failed to connect to the MPS control daemon or the MPS "
                 "server")
    ECLOSION_ROW(cudaErrorMpsRpcFailure,
                 "the remote procedural call between the MPS server and the MPS "
                 "client failed")
    ECLOSION_ROW(cudaErrorMpsServerNotReady,
                 "MPS server is not ready to accept new MPS client requests")
    ECLOSION_ROW(cudaErrorMpsMaxClientsReached,
                 "the hardware resources required to create MPS client have been "
                 "exhausted")
    ECLOSION_ROW(cudaErrorMpsMaxConnectionsReached,
                 "the hardware resources required to support device connections "
                 "have been exhausted")
    ECLOSION_ROW(cudaErrorMpsClientTerminated,
                 "the MPS client has been terminated by the server")
    ECLOSION_ROW(cudaErrorCdpNotSupported,
                 "is using CUDA Dynamic Parallelism, but the current configuration, "
                 "like MPS, does not support it")
    ECLOSION_ROW(cudaErrorCdpVersionMismatch,
                 "unsupported interaction between different versions of CUDA "
                 "Dynamic Parallelism")
    ECLOSION_ROW(cudaErrorStreamCaptureUnsupported,
                 "operation not permitted when stream is capturing")
    ECLOSION_ROW(cudaErrorStreamCaptureInvalidated,
                 "operation failed due to a previous error during capture")
    ECLOSION_ROW(cudaErrorStreamCaptureMerge,
                 "operation would result in a merge of separate capture sequences")
    ECLOSION_ROW(cudaErrorStreamCaptureUnmatched,
                 "capture was not ended in the same stream as it began")
    ECLOSION_ROW(cudaErrorStreamCaptureUnjoined,
                 "capturing stream has unjoined work")
    ECLOSION_ROW(cudaErrorStreamCaptureIsolation,
                 "dependency created on uncaptured work in another stream")
    ECLOSION_ROW(cudaErrorStreamCaptureImplicit,
                 "operation would make the legacy stream depend on a capturing "
                 "blocking stream")
    ECLOSION_ROW(cudaErrorCapturedEvent,
                 "operation not permitted on an event last recorded in a capturing "
                 "stream")
    ECLOSION_ROW(cudaErrorStreamCaptureWrongThread,
                 "attempt to terminate a thread-local capture sequence from another "
                 "thread")
    ECLOSION_ROW(cudaErrorTimeout, "wait operation timed out")
    ECLOSION_ROW(cudaErrorGraphExecUpdateFailure,
                 "the graph update was not performed because it included changes "
                 "which violated constraints specific to instantiated graph update")
    ECLOSION_ROW(cudaErrorExternalDevice,
                 "an async error has occured in external entity outside of CUDA")
    ECLOSION_ROW(cudaErrorInvalidClusterSize,
                 "a kernel launch error has occurred due to cluster misconfiguration")
    ECLOSION_ROW(cudaErrorFunctionNotLoaded,
                 "the function handle is not loaded when calling an API that "
                 "requires a loaded function")
    ECLOSION_ROW(cudaErrorInvalidResourceType,
                 "one or more resources passed in are not valid resource types for "
                 "the operation")
    ECLOSION_ROW(cudaErrorInvalidResourceConfiguration,
                 "one or more resources are insufficient or non-applicable for the "
                 "operation")
    ECLOSION_ROW(cudaErrorUnknown, "unknown error")
    ECLOSION_ROW(cudaErrorApiFailureBase, "api failure base")
    // clang-format on
};

// Numbers that only the driver has.
constexpr Row kDriversOwn[] = {
    ECLOSION_ROW(CUDA_ERROR_CONTEXT_ALREADY_CURRENT, "context already current")
        ECLOSION_ROW(CUDA_ERROR_KEY_ROTATION, "key rotation required")};

#undef ECLOSION_ROW

template <std::size_t size>
const Row* find(const Row (&rows)[size], int number) {
  const Row* found =
      std::find_if(std::begin(rows), std::end(rows),
                   [number](const Row& row) { return row.number == number; });
  return found == std::end(rows) ? nullptr : found;
}

}  // namespace

const char* runtime_error_name(int number) {
  const Row* row = find(kRuntime, number);
  return row == nullptr ? nullptr : row->name;
}

const char* error_text(int number) {
  const Row* row = find(kRuntime, number);
  if (row == nullptr) row = find(kDriversOwn, number);
  return row == nullptr ? nullptr : row->text;
}

}  // namespace eclosion::cuda
