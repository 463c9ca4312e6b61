// References of programs and of graphs to objects.
#include "user_objects.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "graphs.h"
#include "handles.h"

namespace eclosion::cuda {
namespace {

struct UserObject {
  std::shared_ptr<void> object;  // its deleter is the program's function
  unsigned count = 0;            // references of the program
};

struct Tables {
  emulator::Handles<CUuserObject, UserObject> handles;
  std::mutex lock;
  std::unordered_map<const emulator::Graph*, KeptObjects> kept;
};

Tables& tables() {
  static auto* made = new Tables;
  return *made;
}

Status find(CUgraph graph_handle, CUuserObject handle, GraphRef* graph,
            std::shared_ptr<UserObject>* object) {
  *object = tables().handles.find(handle);
  if (!*object) return Status::kInvalidValue;
  return find_graph(graph_handle, graph);
}

}  // namespace

Status create_user_object(void* pointer, CUhostFn destroy, unsigned count,
                          CUuserObject* handle) {
  if (handle == nullptr || destroy == nullptr || count == 0) {
    return Status::kInvalidValue;
  }
  auto made = std::make_shared<UserObject>();
  // A null pointer is the program's business: the function is called with it.
  made->object =
      std::shared_ptr<void>(reinterpret_cast<void*>(&made),
                            [pointer, destroy](void*) { destroy(pointer); });
  made->count = count;
  *handle = tables().handles.add(made);
  return Status::kSuccess;
}

Status retain_user_object(CUuserObject handle, unsigned count) {
  Tables& all = tables();
  const auto object = all.handles.find(handle);
  if (!object || count == 0) return Status::kInvalidValue;
  const std::lock_guard held(all.lock);
  object->count += count;
  return Status::kSuccess;
}

Status release_user_object(CUuserObject handle, unsigned count) {
  Tables& all = tables();
  std::shared_ptr<UserObject> object = all.handles.find(handle);
  if (!object || count == 0) return Status::kInvalidValue;
  {
    const std::lock_guard held(all.lock);
    if (count > object->count) return Status::kInvalidValue;
    object->count -= count;
    if (object->count != 0) return Status::kSuccess;
  }
  all.handles.take(handle);
  object->object.reset();  // graphs may still keep it
  return Status::kSuccess;
}

Status keep_in_graph(CUgraph graph_handle, CUuserObject handle, unsigned count,
                     bool is_moved) {
  GraphRef graph;
  std::shared_ptr<UserObject> object;
  const Status status = find(graph_handle, handle, &graph, &object);
  if (status != Status::kSuccess) return status;
  if (count == 0) return Status::kInvalidValue;
  {
    Tables& all = tables();
    const std::lock_guard held(all.lock);
    KeptObjects& kept = all.kept[graph.get()];
    kept.insert(kept.end(), count, object->object);
  }
  return is_moved ? release_user_object(handle, count) : Status::kSuccess;
}

Status drop_from_graph(CUgraph graph_handle, CUuserObject handle,
                       unsigned count) {
  GraphRef graph;
  std::shared_ptr<UserObject> object;
  const Status status = find(graph_handle, handle, &graph, &object);
  if (status != Status::kSuccess) return status;
  KeptObjects gone;  // destroyed without the lock
  Tables& all = tables();
  const std::lock_guard held(all.lock);
  KeptObjects& kept = all.kept[graph.get()];
  const auto own = std::ranges::count(kept, object->object);
  if (count == 0 || own < static_cast<std::ptrdiff_t>(count)) {
    return Status::kInvalidValue;
  }
  for (unsigned i = 0; i < count; ++i) {
    const auto found = std::ranges::find(kept, object->object);
    gone.push_back(std::move(*found));
    kept.erase(found);
  }
  return Status::kSuccess;
}

KeptObjects kept_by(const emulator::Graph& graph) {
  Tables& all = tables();
  const std::lock_guard held(all.lock);
  const auto found = all.kept.find(&graph);
  return found == all.kept.end() ? KeptObjects() : found->second;
}

void drop_all(const emulator::Graph& graph) {
  KeptObjects gone;
  Tables& all = tables();
  const std::lock_guard held(all.lock);
  const auto found = all.kept.find(&graph);
  if (found == all.kept.end()) return;
  gone = std::move(found->second);
  all.kept.erase(found);
}

}  // namespace eclosion::cuda
