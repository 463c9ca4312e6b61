// The tables behind the handles of streams and events.
#include "objects.h"

#include <mutex>
#include <vector>

#include "device.h"
#include "leaks.h"
#include "state.h"

namespace eclosion::cuda {
namespace {

using emulator::Event;
using emulator::Stream;

// A table, and which handles are in it: a reset forgets those of its device.
template <typename Handle, typename Object>
class Table {
 public:
  Handle add(const std::shared_ptr<Object>& object) {
    const Handle handle = handles_.add(object);
    const std::lock_guard held(lock_);
    devices_[handle] = object->device();
    return handle;
  }

  Status find(Handle handle, std::shared_ptr<Object>* object) {
    *object = handles_.find(handle);
    return *object ? Status::kSuccess : Status::kInvalidHandle;
  }

  Status take(Handle handle, std::shared_ptr<Object>* object) {
    *object = handles_.take(handle);
    if (!*object) return Status::kInvalidHandle;
    const std::lock_guard held(lock_);
    devices_.erase(handle);
    return Status::kSuccess;
  }

  void forget(int device) {
    std::vector<std::shared_ptr<Object>> gone;  // destroyed without the lock
    const std::lock_guard held(lock_);
    std::erase_if(devices_, [&](const auto& item) {
      if (item.second != device) return false;
      gone.push_back(handles_.take(item.first));
      return true;
    });
  }

 private:
  emulator::Handles<Handle, Object> handles_;
  std::mutex lock_;
  std::unordered_map<Handle, int> devices_;
};

// Never destroyed: other libraries' destructors still destroy streams.
Table<CUstream, Stream>& streams() {
  static auto* table = new Table<CUstream, Stream>;
  return *table;
}

Table<CUevent, Event>& events() {
  static auto* table = new Table<CUevent, Event>;
  return *table;
}

}  // namespace

CUstream add_stream(const StreamRef& stream) { return streams().add(stream); }

CUevent add_event(const EventRef& event) { return events().add(event); }

bool is_default_stream(CUstream handle) {
  return handle == nullptr || handle == CU_STREAM_LEGACY ||
         handle == CU_STREAM_PER_THREAD;
}

Status find_stream(CUstream handle, StreamRef* stream) {
  if (!is_default_stream(handle)) return streams().find(handle, stream);
  const bool is_threads = handle == CU_STREAM_PER_THREAD ||
                          (handle == nullptr && has_thread_stream());
  const int device = emulator::current_device();
  *stream = is_threads ? Stream::per_thread(device) : Stream::legacy(device);
  return Status::kSuccess;
}

Status find_event(CUevent handle, EventRef* event) {
  return events().find(handle, event);
}

Status take_stream(CUstream handle, StreamRef* stream) {
  emulator::note_gone(emulator::Made::kStream, handle);
  return streams().take(handle, stream);
}

Status take_event(CUevent handle, EventRef* event) {
  emulator::note_gone(emulator::Made::kEvent, handle);
  return events().take(handle, event);
}

void forget_objects(int device) {
  streams().forget(device);
  events().forget(device);
}

}  // namespace eclosion::cuda
