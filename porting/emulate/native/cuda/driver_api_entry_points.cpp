// The driver's functions by name and release.
#include <cstring>
#include <utility>

#include "entry_points.h"
#include "front.h"
#include "release.h"

namespace eclosion::cuda {
namespace {

struct Found {
  const eclosion_entry* entry = nullptr;
  bool is_known = false;
};

// The newest version of a function that a release has.
Found find_entry(const char* name, int release) {
  Found found;
  for (const eclosion_entry* entry = eclosion_cuda_entries;
       entry != nullptr && entry->name != nullptr; ++entry) {
    if (std::strcmp(entry->name, name) != 0) continue;
    found.is_known = true;
    if (entry->release <= release) found.entry = entry;
  }
  return found;
}

CUdriverProcAddressQueryResult result_of(const Found& found) {
  if (found.entry != nullptr) return CU_GET_PROC_ADDRESS_SUCCESS;
  return found.is_known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                        : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
}

}  // namespace
}  // namespace eclosion::cuda

using namespace eclosion::cuda;

CUresult cuGetProcAddress(const char* name, void** address, int release,
                          cuuint64_t flags,
                          CUdriverProcAddressQueryResult* result) {
  return driver_call(__func__, kNothing, [&]() -> DriverResult {
    constexpr cuuint64_t kFlags = CU_GET_PROC_ADDRESS_LEGACY_STREAM |
                                  CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    // cuGetProcAddress (cuda.h): a release that is newer than the driver's is
    // an error.
    if (name == nullptr || address == nullptr || (flags & ~kFlags) != 0 ||
        release > release_number()) {
      return Status::kInvalidValue;
    }
    const Found found = find_entry(name, release);
    *address = nullptr;
    if (result != nullptr) *result = result_of(found);
    if (found.entry == nullptr) {
      return result == nullptr ? Status::kNotFound : Status::kSuccess;
    }
    const bool is_threads =
        flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM &&
        found.entry->of_thread != nullptr;
    *address = is_threads ? found.entry->of_thread : found.entry->function;
    return Status::kSuccess;
  });
}
