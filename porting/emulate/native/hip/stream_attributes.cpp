// Attributes of streams and kernel nodes: hints, which are kept and told.
#include <map>
#include <mutex>
#include <utility>

#include "front.h"
#include "graph_objects.h"
#include "objects.h"

namespace eclosion::hip {

namespace {

using Key = std::pair<const void*, int>;

struct Kept {
  std::mutex lock;
  std::map<Key, hipLaunchAttributeValue> values;
};

// Of streams and of nodes, by their handles, which are not used twice as long
// as they live.
Kept& kept() {
  static auto* table = new Kept;
  return *table;
}

bool is_of_stream(hipLaunchAttributeID attribute) {
  return attribute == hipLaunchAttributeAccessPolicyWindow ||
         attribute == hipLaunchAttributeSynchronizationPolicy ||
         attribute == hipLaunchAttributePriority ||
         attribute == hipLaunchAttributeMemSyncDomainMap ||
         attribute == hipLaunchAttributeMemSyncDomain;
}

bool is_of_node(hipLaunchAttributeID attribute) {
  return attribute == hipLaunchAttributeAccessPolicyWindow ||
         attribute == hipLaunchAttributeCooperative ||
         attribute == hipLaunchAttributePriority;
}

hipError_t keep(const void* owner, hipLaunchAttributeID attribute,
                const hipLaunchAttributeValue* value) {
  if (value == nullptr) return hipErrorInvalidValue;
  const std::lock_guard held(kept().lock);
  kept().values[{owner, attribute}] = *value;
  return hipSuccess;
}

hipError_t tell(const void* owner, hipLaunchAttributeID attribute,
                hipLaunchAttributeValue* value) {
  if (value == nullptr) return hipErrorInvalidValue;
  const std::lock_guard held(kept().lock);
  const auto found = kept().values.find({owner, attribute});
  *value =
      found != kept().values.end() ? found->second : hipLaunchAttributeValue{};
  return hipSuccess;
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;

extern "C" {

hipError_t hipStreamSetAttribute(hipStream_t stream,
                                 hipLaunchAttributeID attribute,
                                 const hipLaunchAttributeValue* value) {
  return call(__func__, [&] {
    if (find_stream(stream) == nullptr) return invalid_stream();
    if (!is_of_stream(attribute)) return hipErrorInvalidValue;
    return keep(stream, attribute, value);
  });
}

hipError_t hipStreamGetAttribute(hipStream_t stream,
                                 hipLaunchAttributeID attribute,
                                 hipLaunchAttributeValue* value) {
  return call(__func__, [&] {
    const auto found = find_stream(stream);
    if (found == nullptr) return invalid_stream();
    if (!is_of_stream(attribute)) return hipErrorInvalidValue;
    const hipError_t status = tell(stream, attribute, value);
    if (status == hipSuccess && attribute == hipLaunchAttributePriority) {
      value->priority = found->priority();
    }
    return status;
  });
}

hipError_t hipGraphKernelNodeSetAttribute(
    hipGraphNode_t node, hipLaunchAttributeID attribute,
    const hipLaunchAttributeValue* value) {
  return call(__func__, [&] {
    if (find_node(node) == nullptr || !is_of_node(attribute)) {
      return hipErrorInvalidValue;
    }
    return keep(node, attribute, value);
  });
}

hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t node,
                                          hipLaunchAttributeID attribute,
                                          hipLaunchAttributeValue* value) {
  return call(__func__, [&] {
    if (find_node(node) == nullptr || !is_of_node(attribute)) {
      return hipErrorInvalidValue;
    }
    return tell(node, attribute, value);
  });
}

hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t from,
                                            hipGraphNode_t to) {
  return call(__func__, [&] {
    if (find_node(from) == nullptr || find_node(to) == nullptr) {
      return hipErrorInvalidValue;
    }
    for (const auto attribute :
         {hipLaunchAttributeAccessPolicyWindow, hipLaunchAttributeCooperative,
          hipLaunchAttributePriority}) {
      hipLaunchAttributeValue value;
      (void)tell(from, attribute, &value);
      (void)keep(to, attribute, &value);
    }
    return hipSuccess;
  });
}

}  // extern "C"
