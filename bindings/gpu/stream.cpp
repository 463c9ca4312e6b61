// The runtime's streams and events behind the types of stream.h.
#include "stream.h"

#include "device.h"
#include "error.h"

namespace eclosion::gpu {
void StreamDeleter::operator()(cudaStream_t stream) const noexcept {
  static_cast<void>(cudaStreamDestroy(stream));
}

void EventDeleter::operator()(cudaEvent_t event) const noexcept {
  static_cast<void>(cudaEventDestroy(event));
}

Stream::Stream(int device, int priority) : device_(device) {
  const DeviceScope scope(device);
  cudaStream_t stream = nullptr;
  ECLOSION_CALL(cudaStreamCreateWithPriority, &stream, cudaStreamNonBlocking,
                priority);
  stream_.reset(stream);
}

void Stream::synchronize() const {
  ECLOSION_CALL(cudaStreamSynchronize, get());
}

bool Stream::is_done() const {
  return ECLOSION_CALL_UNLESS(cudaErrorNotReady, cudaStreamQuery, get());
}

bool Stream::is_recording() const {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  ECLOSION_CALL(cudaStreamIsCapturing, get(), &status);
  return status != cudaStreamCaptureStatusNone;
}

void Stream::wait(const Event& event) const {
  const DeviceScope scope(device_);
  ECLOSION_CALL(cudaStreamWaitEvent, get(), event.get(), 0);
}

Event::Event(int device, bool has_time) : device_(device) {
  const DeviceScope scope(device);
  cudaEvent_t event = nullptr;
  ECLOSION_CALL(cudaEventCreateWithFlags, &event,
                has_time ? cudaEventDefault : cudaEventDisableTiming);
  event_.reset(event);
}

void Event::record(const Stream& stream) const {
  const DeviceScope scope(stream.device());
  ECLOSION_CALL(cudaEventRecord, get(), stream.get());
}

void Event::synchronize() const { ECLOSION_CALL(cudaEventSynchronize, get()); }

bool Event::is_done() const {
  return ECLOSION_CALL_UNLESS(cudaErrorNotReady, cudaEventQuery, get());
}

float Event::elapsed_ms(const Event& start) const {
  const DeviceScope scope(device_);
  float elapsed = 0;
  ECLOSION_CALL(cudaEventElapsedTime, &elapsed, start.get(), get());
  return elapsed;
}

}  // namespace eclosion::gpu
