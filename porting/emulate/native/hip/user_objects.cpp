// Objects of the program that graphs keep alive: counted references.
#include "user_objects.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "front.h"
#include "graph_objects.h"
#include "handles.h"

namespace eclosion::hip {

namespace {

using emulator::Graph;
using emulator::GraphRef;

// The program's object; destroyed with the last reference, by whichever thread.
struct UserObject {
  void* object;
  hipHostFn_t destroy;

  UserObject(void* given, hipHostFn_t with) : object(given), destroy(with) {}
  ~UserObject() { destroy(object); }
  UserObject(const UserObject&) = delete;
  UserObject& operator=(const UserObject&) = delete;
};

// The references that the program itself has.
struct Owned {
  std::shared_ptr<UserObject> object;
  std::mutex lock;
  unsigned references;
};

struct Keepers {
  std::mutex lock;
  std::map<const Graph*, Kept> all;
};

emulator::Handles<hipUserObject_t, Owned>& user_objects() {
  static auto* all = new emulator::Handles<hipUserObject_t, Owned>;
  return *all;
}

Keepers& keepers() {
  static auto* table = new Keepers;
  return *table;
}

hipError_t release(hipUserObject_t handle, unsigned count) {
  const auto owned = user_objects().find(handle);
  if (owned == nullptr || count == 0) return hipErrorInvalidValue;
  std::shared_ptr<UserObject> last;  // destroyed after the lock is free
  const std::lock_guard held(owned->lock);
  if (count > owned->references) return hipErrorInvalidValue;
  owned->references -= count;
  if (owned->references != 0) return hipSuccess;
  (void)user_objects().take(handle);
  last = std::move(owned->object);
  return hipSuccess;
}

hipError_t keep(hipGraph_t handle, hipUserObject_t object, unsigned count,
                unsigned flags) {
  const GraphRef graph = graphs().find(handle);
  const auto owned = user_objects().find(object);
  if (graph == nullptr || owned == nullptr || count == 0 ||
      (flags & ~hipGraphUserObjectMove) != 0) {
    return hipErrorInvalidValue;
  }
  {
    const std::lock_guard held(keepers().lock);
    Kept& kept = keepers().all[graph.get()];
    kept.insert(kept.end(), count, owned->object);
  }
  return flags == hipGraphUserObjectMove ? release(object, count) : hipSuccess;
}

hipError_t let_go_of(hipGraph_t handle, hipUserObject_t object,
                     unsigned count) {
  const GraphRef graph = graphs().find(handle);
  const auto owned = user_objects().find(object);
  if (graph == nullptr || owned == nullptr) return hipErrorInvalidValue;
  const std::lock_guard held(keepers().lock);
  Kept& kept = keepers().all[graph.get()];
  if (std::ranges::count(kept, owned->object) < static_cast<long>(count)) {
    return hipErrorInvalidValue;
  }
  for (unsigned i = 0; i < count; ++i) {
    kept.erase(std::ranges::find(kept, owned->object));
  }
  return hipSuccess;
}

}  // namespace

Kept kept_by(const Graph* graph) {
  const std::lock_guard held(keepers().lock);
  const auto found = keepers().all.find(graph);
  return found == keepers().all.end() ? Kept{} : found->second;
}

void keep_as(const Graph* original, const Graph* clone) {
  Kept kept = kept_by(original);
  if (kept.empty()) return;
  const std::lock_guard held(keepers().lock);
  keepers().all[clone] = std::move(kept);
}

void let_go(const Graph* graph) {
  // Destroyed after the lock is free: what is destroyed may call this front.
  Kept kept;
  const std::lock_guard held(keepers().lock);
  const auto found = keepers().all.find(graph);
  if (found == keepers().all.end()) return;
  kept = std::move(found->second);
  keepers().all.erase(found);
}

}  // namespace eclosion::hip

using namespace eclosion::hip;

extern "C" {

// hip_runtime_api.h, hipUserObjectFlags: the destructor "is not synchronized",
// which is the one way that there is.
hipError_t hipUserObjectCreate(hipUserObject_t* made, void* object,
                               hipHostFn_t destroy, unsigned references,
                               unsigned flags) {
  return call(__func__, [&] {
    if (made == nullptr || destroy == nullptr || references == 0 ||
        flags != hipUserObjectNoDestructorSync) {
      return hipErrorInvalidValue;
    }
    auto owned = std::make_shared<Owned>();
    owned->object = std::make_shared<UserObject>(object, destroy);
    owned->references = references;
    *made = user_objects().add(std::move(owned));
    return hipSuccess;
  });
}

hipError_t hipUserObjectRetain(hipUserObject_t handle, unsigned count) {
  return call(__func__, [&] {
    const auto owned = user_objects().find(handle);
    if (owned == nullptr || count == 0) return hipErrorInvalidValue;
    const std::lock_guard held(owned->lock);
    owned->references += count;
    return hipSuccess;
  });
}

hipError_t hipUserObjectRelease(hipUserObject_t handle, unsigned count) {
  return call(__func__, [&] { return release(handle, count); });
}

hipError_t hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t object,
                                    unsigned count, unsigned flags) {
  return call(__func__, [&] { return keep(graph, object, count, flags); });
}

hipError_t hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object,
                                     unsigned count) {
  return call(__func__, [&] { return let_go_of(graph, object, count); });
}

}  // extern "C"
