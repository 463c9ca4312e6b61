// Errors: the table of numbers, their names, and the error state of a thread.
//
// hipGetLastError up to 6.x gives what the last call returned; from 7.0 on the
// last error is kept until it is read, and hipErrorNotReady is none;
// hipExtGetLastError keeps the older form (HIP documentation, "HIP API 7.0
// changes", "Update hipGetLastError").
#include "error_texts.h"
#include "front.h"

namespace eclosion::hip {

namespace {

struct Row {
  Status status;
  hipError_t error;
};

// Of statuses with the same number the first is what the number means.
constexpr Row kNumbers[] = {
    {Status::kSuccess, hipSuccess},
    {Status::kInvalidValue, hipErrorInvalidValue},
    {Status::kOutOfMemory, hipErrorOutOfMemory},
    {Status::kNotInitialized, hipErrorNotInitialized},
    {Status::kDeinitialized, hipErrorDeinitialized},
    {Status::kNoDevice, hipErrorNoDevice},
    {Status::kInvalidDevice, hipErrorInvalidDevice},
    {Status::kInvalidContext, hipErrorInvalidContext},
    {Status::kInvalidHandle, hipErrorInvalidHandle},
    {Status::kNotReady, hipErrorNotReady},
    {Status::kIllegalState, hipErrorIllegalState},
    {Status::kNotFound, hipErrorNotFound},
    {Status::kUnknownVariable, hipErrorInvalidSymbol},
    {Status::kUnknownKernel, hipErrorInvalidDeviceFunction},
    {Status::kInvalidConfiguration, hipErrorInvalidConfiguration},
    {Status::kTooManyResources, hipErrorLaunchOutOfResources},
    {Status::kCooperativeTooLarge, hipErrorCooperativeLaunchTooLarge},
    {Status::kInvalidMemcpyDirection, hipErrorInvalidMemcpyDirection},
    {Status::kIllegalAddress, hipErrorIllegalAddress},
    {Status::kMisalignedAddress, hipErrorIllegalAddress},
    {Status::kAssertFailed, hipErrorAssert},
    {Status::kLaunchFailure, hipErrorLaunchFailure},
    {Status::kIllegalInstruction, hipErrorLaunchFailure},
    {Status::kStackOverflow, hipErrorLaunchFailure},
    {Status::kLaunchTimeout, hipErrorLaunchTimeOut},
    {Status::kAlreadyRegistered, hipErrorHostMemoryAlreadyRegistered},
    {Status::kNotRegistered, hipErrorHostMemoryNotRegistered},
    {Status::kAlreadyMapped, hipErrorAlreadyMapped},
    {Status::kNotMapped, hipErrorNotMapped},
    {Status::kMapFailed, hipErrorMapFailed},
    {Status::kPeerAlreadyEnabled, hipErrorPeerAccessAlreadyEnabled},
    {Status::kPeerNotEnabled, hipErrorPeerAccessNotEnabled},
    {Status::kPeerUnsupported, hipErrorPeerAccessUnsupported},
    {Status::kCaptureUnsupported, hipErrorStreamCaptureUnsupported},
    {Status::kCaptureInvalidated, hipErrorStreamCaptureInvalidated},
    {Status::kCaptureMerge, hipErrorStreamCaptureMerge},
    {Status::kCaptureUnmatched, hipErrorStreamCaptureUnmatched},
    {Status::kCaptureUnjoined, hipErrorStreamCaptureUnjoined},
    {Status::kCaptureIsolation, hipErrorStreamCaptureIsolation},
    {Status::kCaptureImplicit, hipErrorStreamCaptureImplicit},
    {Status::kCapturedEvent, hipErrorCapturedEvent},
    {Status::kCaptureWrongThread, hipErrorStreamCaptureWrongThread},
    {Status::kGraphUpdateFailed, hipErrorGraphExecUpdateFailure},
    {Status::kNotPermitted, hipErrorNotSupported},
    {Status::kNotSupported, hipErrorNotSupported},
    {Status::kFileNotFound, hipErrorFileNotFound},
    {Status::kInvalidImage, hipErrorInvalidImage},
    {Status::kSharedObjectFailed, hipErrorSharedObjectInitFailed},
};

// Of the calling thread: the error that is kept until it is read, and what the
// last call returned.
thread_local hipError_t kept = hipSuccess;
thread_local hipError_t latest = hipSuccess;

hipError_t& last_error() { return release_is_at_least(7) ? kept : latest; }

hipError_t give_and_clear(hipError_t& error) {
  return std::exchange(error, hipSuccess);
}

// Null: the header has no such number.
const ErrorText* find_text(hipError_t error) {
  for (const ErrorText& row : kErrorTexts) {
    if (row.error == error) return &row;
  }
  return nullptr;
}

// A number that the header does not have is answered as the unknown error.
const ErrorText& text_of(hipError_t error) {
  const ErrorText* found = find_text(error);
  return found != nullptr ? *found : *find_text(hipErrorUnknown);
}

}  // namespace

hipError_t number(Status status) {
  for (const Row& row : kNumbers) {
    if (row.status == status) return row.error;
  }
  return hipErrorUnknown;
}

std::optional<Status> status_of(int number) {
  for (const Row& row : kNumbers) {
    if (row.error == number) return row.status;
  }
  if (number == hipErrorUnknown) return Status::kUnknown;
  return std::nullopt;
}

hipError_t remember(hipError_t error) {
  latest = error;
  if (error != hipSuccess && error != hipErrorNotReady) kept = error;
  return error;
}

}  // namespace eclosion::hip

using namespace eclosion::hip;

extern "C" {

// What functions that are not emulated return goes through the error state too.
hipError_t eclosion_hip_remember(hipError_t error) { return remember(error); }

hipError_t hipGetLastError() { return give_and_clear(last_error()); }
hipError_t hipExtGetLastError() { return give_and_clear(latest); }
hipError_t hipPeekAtLastError() { return last_error(); }

const char* hipGetErrorName(hipError_t error) { return text_of(error).name; }
const char* hipGetErrorString(hipError_t error) { return text_of(error).text; }

// hipErrorInvalidValue for what the header does not have (hip_runtime_api.h,
// hipDrvGetErrorName: "returns hipSuccess, hipErrorInvalidValue").
hipError_t hipDrvGetErrorName(hipError_t error, const char** name) {
  const ErrorText* found = find_text(error);
  if (name == nullptr || found == nullptr) return hipErrorInvalidValue;
  *name = found->name;
  return hipSuccess;
}

hipError_t hipDrvGetErrorString(hipError_t error, const char** text) {
  const ErrorText* found = find_text(error);
  if (text == nullptr || found == nullptr) return hipErrorInvalidValue;
  *text = found->text;
  return hipSuccess;
}

}  // extern "C"
