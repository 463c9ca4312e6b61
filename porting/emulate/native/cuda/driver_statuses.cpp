// One table: each status of the core, the driver's number and the runtime's.
//
// cuda.h (CUresult) and driver_types.h (cudaError) give most failures the same
// number. Where the runtime knows more, it has a number that the driver lacks:
// of launches, symbols and directions of copies.
#include <cstddef>
#include <iterator>

#include "statuses.h"

namespace eclosion::cuda {
namespace {

struct Row {
  Status status;
  CUresult driver;
  cudaError_t runtime;
};

constexpr Row kRows[] = {
    {Status::kSuccess, CUDA_SUCCESS, cudaSuccess},
    {Status::kInvalidValue, CUDA_ERROR_INVALID_VALUE, cudaErrorInvalidValue},
    {Status::kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY, cudaErrorMemoryAllocation},
    {Status::kNotInitialized, CUDA_ERROR_NOT_INITIALIZED,
     cudaErrorInitializationError},
    {Status::kDeinitialized, CUDA_ERROR_DEINITIALIZED,
     cudaErrorCudartUnloading},
    {Status::kNoDevice, CUDA_ERROR_NO_DEVICE, cudaErrorNoDevice},
    {Status::kInvalidDevice, CUDA_ERROR_INVALID_DEVICE, cudaErrorInvalidDevice},
    {Status::kInvalidContext, CUDA_ERROR_INVALID_CONTEXT,
     cudaErrorDeviceUninitialized},
    {Status::kInvalidHandle, CUDA_ERROR_INVALID_HANDLE,
     cudaErrorInvalidResourceHandle},
    {Status::kNotReady, CUDA_ERROR_NOT_READY, cudaErrorNotReady},
    {Status::kIllegalState, CUDA_ERROR_ILLEGAL_STATE, cudaErrorIllegalState},
    {Status::kNotFound, CUDA_ERROR_NOT_FOUND, cudaErrorSymbolNotFound},
    {Status::kUnknownVariable, CUDA_ERROR_NOT_FOUND, cudaErrorInvalidSymbol},
    {Status::kUnknownKernel, CUDA_ERROR_NOT_FOUND,
     cudaErrorInvalidDeviceFunction},
    {Status::kInvalidConfiguration, CUDA_ERROR_INVALID_VALUE,
     cudaErrorInvalidConfiguration},
    {Status::kTooManyResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
     cudaErrorLaunchOutOfResources},
    {Status::kCooperativeTooLarge, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
     cudaErrorCooperativeLaunchTooLarge},
    {Status::kInvalidMemcpyDirection, CUDA_ERROR_INVALID_VALUE,
     cudaErrorInvalidMemcpyDirection},
    {Status::kIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS,
     cudaErrorIllegalAddress},
    {Status::kMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS,
     cudaErrorMisalignedAddress},
    {Status::kAssertFailed, CUDA_ERROR_ASSERT, cudaErrorAssert},
    {Status::kIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION,
     cudaErrorIllegalInstruction},
    {Status::kStackOverflow, CUDA_ERROR_HARDWARE_STACK_ERROR,
     cudaErrorHardwareStackError},
    {Status::kLaunchFailure, CUDA_ERROR_LAUNCH_FAILED, cudaErrorLaunchFailure},
    {Status::kLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT, cudaErrorLaunchTimeout},
    {Status::kAlreadyRegistered, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
     cudaErrorHostMemoryAlreadyRegistered},
    {Status::kNotRegistered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
     cudaErrorHostMemoryNotRegistered},
    {Status::kAlreadyMapped, CUDA_ERROR_ALREADY_MAPPED, cudaErrorAlreadyMapped},
    {Status::kNotMapped, CUDA_ERROR_NOT_MAPPED, cudaErrorNotMapped},
    {Status::kMapFailed, CUDA_ERROR_MAP_FAILED, cudaErrorMapBufferObjectFailed},
    {Status::kPeerAlreadyEnabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
     cudaErrorPeerAccessAlreadyEnabled},
    {Status::kPeerNotEnabled, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
     cudaErrorPeerAccessNotEnabled},
    {Status::kPeerUnsupported, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
     cudaErrorPeerAccessUnsupported},
    {Status::kCaptureUnsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
     cudaErrorStreamCaptureUnsupported},
    {Status::kCaptureInvalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
     cudaErrorStreamCaptureInvalidated},
    {Status::kCaptureMerge, CUDA_ERROR_STREAM_CAPTURE_MERGE,
     cudaErrorStreamCaptureMerge},
    {Status::kCaptureUnmatched, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
     cudaErrorStreamCaptureUnmatched},
    {Status::kCaptureUnjoined, CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
     cudaErrorStreamCaptureUnjoined},
    {Status::kCaptureIsolation, CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
     cudaErrorStreamCaptureIsolation},
    {Status::kCaptureImplicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
     cudaErrorStreamCaptureImplicit},
    {Status::kCapturedEvent, CUDA_ERROR_CAPTURED_EVENT, cudaErrorCapturedEvent},
    {Status::kCaptureWrongThread, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
     cudaErrorStreamCaptureWrongThread},
    {Status::kGraphUpdateFailed, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
     cudaErrorGraphExecUpdateFailure},
    {Status::kNotPermitted, CUDA_ERROR_NOT_PERMITTED, cudaErrorNotPermitted},
    {Status::kNotSupported, CUDA_ERROR_NOT_SUPPORTED, cudaErrorNotSupported},
    {Status::kFileNotFound, CUDA_ERROR_FILE_NOT_FOUND, cudaErrorFileNotFound},
    {Status::kInvalidImage, CUDA_ERROR_INVALID_IMAGE,
     cudaErrorInvalidKernelImage},
    {Status::kSharedObjectFailed, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED,
     cudaErrorSharedObjectInitFailed},
    {Status::kUnknown, CUDA_ERROR_UNKNOWN, cudaErrorUnknown},
};

// Rows are found by their place, so the table has to be whole and in order.
constexpr bool is_in_order() {
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    if (static_cast<std::size_t>(kRows[i].status) != i) return false;
  }
  return std::size(kRows) == static_cast<std::size_t>(Status::kUnknown) + 1;
}
static_assert(is_in_order());

const Row& row(Status status) {
  return kRows[static_cast<std::size_t>(status)];
}

}  // namespace

CUresult driver_code(Status status) { return row(status).driver; }

cudaError_t runtime_code(Status status) { return row(status).runtime; }

std::optional<Status> status_of(int number) {
  for (const Row& each : kRows) {
    if (each.runtime == number) return each.status;
  }
  for (const Row& each : kRows) {
    if (each.driver == number) return each.status;
  }
  return std::nullopt;
}

}  // namespace eclosion::cuda
