// What a request of a program came to, in words that no vendor owns.
//
// The fronts turn each into their vendor's number.
#pragma once

namespace eclosion::emulator {

enum class Status {
  kSuccess,
  kInvalidValue,
  kOutOfMemory,
  kNotInitialized,
  kDeinitialized,
  kNoDevice,
  kInvalidDevice,
  kInvalidContext,
  kInvalidHandle,  // of a stream, event, graph, module...
  kNotReady,
  kIllegalState,     // captures that have begun already, or not
  kNotFound,         // a name
  kUnknownVariable,  // no such symbol of the program
  kUnknownKernel,    // no code for the function
  kInvalidConfiguration,
  kTooManyResources,
  kCooperativeTooLarge,
  kInvalidMemcpyDirection,
  kIllegalAddress,
  kMisalignedAddress,
  kAssertFailed,
  kIllegalInstruction,  // __trap
  kStackOverflow,
  kLaunchFailure,
  kLaunchTimeout,
  kAlreadyRegistered,
  kNotRegistered,
  kAlreadyMapped,
  kNotMapped,
  kMapFailed,
  kPeerAlreadyEnabled,
  kPeerNotEnabled,
  kPeerUnsupported,
  kCaptureUnsupported,
  kCaptureInvalidated,
  kCaptureMerge,
  kCaptureUnmatched,
  kCaptureUnjoined,
  kCaptureIsolation,
  kCaptureImplicit,
  kCapturedEvent,
  kCaptureWrongThread,
  kGraphUpdateFailed,
  kNotPermitted,
  kNotSupported,
  kFileNotFound,
  kInvalidImage,
  kSharedObjectFailed,
  kUnknown,
};

}  // namespace eclosion::emulator
