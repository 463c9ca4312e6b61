// The limits that programs set and ask; the emulator's stacks and heap do not
// depend on them.
#include "context_limits.h"

#include <map>
#include <mutex>
#include <utility>

namespace eclosion::cuda {
namespace {

struct Row {
  CUlimit limit;
  std::size_t value;
};

// Defaults: CUDA C++ Programming Guide, "Configuration Options" of dynamic
// parallelism, "Formatted Output" and "Dynamic Global Memory Allocation".
constexpr Row kDefaults[] = {
    {CU_LIMIT_STACK_SIZE, 1024},
    {CU_LIMIT_PRINTF_FIFO_SIZE, std::size_t{1} << 20},
    {CU_LIMIT_MALLOC_HEAP_SIZE, std::size_t{8} << 20},
    {CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 2048},
    {CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 64},
    {CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0},
};

struct Limits {
  std::mutex lock;
  std::map<std::pair<int, CUlimit>, std::size_t> values;
};

Limits& limits() {
  static auto* made = new Limits;
  return *made;
}

const Row* find(CUlimit limit) {
  for (const Row& row : kDefaults) {
    if (row.limit == limit) return &row;
  }
  return nullptr;
}

}  // namespace

bool is_known_limit(CUlimit limit) { return find(limit) != nullptr; }

Status get_limit(int device, CUlimit limit, std::size_t* value) {
  const Row* const row = find(limit);
  if (value == nullptr || row == nullptr) return Status::kInvalidValue;
  Limits& all = limits();
  const std::lock_guard held(all.lock);
  const auto found = all.values.find({device, limit});
  *value = found == all.values.end() ? row->value : found->second;
  return Status::kSuccess;
}

Status set_limit(int device, CUlimit limit, std::size_t value) {
  if (find(limit) == nullptr) return Status::kInvalidValue;
  Limits& all = limits();
  const std::lock_guard held(all.lock);
  all.values[{device, limit}] = value;
  return Status::kSuccess;
}

}  // namespace eclosion::cuda
