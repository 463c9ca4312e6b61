// The attributes of each stream, by its number.
#include "stream_attributes.h"

#include <map>
#include <mutex>

#include "objects.h"

namespace eclosion::cuda {
namespace {

struct Attributes {
  std::mutex lock;
  std::map<std::uint64_t, std::map<CUstreamAttrID, CUstreamAttrValue>> values;
};

Attributes& attributes() {
  static auto* made = new Attributes;
  return *made;
}

// cuda.h, CU_STREAM_ATTRIBUTE_*.
bool is_known(CUstreamAttrID attribute) {
  switch (attribute) {
    case CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN:
      return true;
    default:
      return false;
  }
}

}  // namespace

Status set_stream_attribute(CUstream handle, CUstreamAttrID attribute,
                            const CUstreamAttrValue* value) {
  if (value == nullptr || !is_known(attribute)) return Status::kInvalidValue;
  StreamRef stream;
  const Status status = find_stream(handle, &stream);
  if (status != Status::kSuccess) return status;
  Attributes& all = attributes();
  const std::lock_guard held(all.lock);
  all.values[stream->id()][attribute] = *value;
  return Status::kSuccess;
}

Status get_stream_attribute(CUstream handle, CUstreamAttrID attribute,
                            CUstreamAttrValue* value) {
  if (value == nullptr) return Status::kInvalidValue;
  StreamRef stream;
  const Status status = find_stream(handle, &stream);
  if (status != Status::kSuccess) return status;
  *value = {};
  if (attribute == CU_STREAM_ATTRIBUTE_PRIORITY) {
    value->priority = stream->priority();
    return Status::kSuccess;
  }
  if (!is_known(attribute)) return Status::kInvalidValue;
  if (attribute == CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY) {
    value->syncPolicy = CU_SYNC_POLICY_AUTO;
  }
  Attributes& all = attributes();
  const std::lock_guard held(all.lock);
  const auto& own = all.values[stream->id()];
  const auto found = own.find(attribute);
  if (found != own.end()) *value = found->second;
  return Status::kSuccess;
}

Status copy_stream_attributes(CUstream to_handle, CUstream from_handle) {
  StreamRef to;
  StreamRef from;
  Status status = find_stream(to_handle, &to);
  if (status == Status::kSuccess) status = find_stream(from_handle, &from);
  if (status != Status::kSuccess) return status;
  Attributes& all = attributes();
  const std::lock_guard held(all.lock);
  all.values[to->id()] = all.values[from->id()];
  return Status::kSuccess;
}

}  // namespace eclosion::cuda
