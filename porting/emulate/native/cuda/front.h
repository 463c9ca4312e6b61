// What every function of the vendor's does around its work: injected faults,
// whether the call may be made at all, and the number that it gives back.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <exception>
#include <new>
#include <optional>
#include <string_view>

#include "injection.h"
#include "state.h"
#include "statuses.h"

// Where the program called the function that this stands in.
#define ECLOSION_SITE ::eclosion::cuda::site_of(__builtin_return_address(0))

namespace eclosion::cuda {

// Keep a failure for cudaGetLastError; gives it back.
cudaError_t remember(cudaError_t code);

// No exception leaves a C function.
template <typename Result, typename Work>
Result guarded(Work&& work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Status::kOutOfMemory;
  } catch (const std::exception&) {
    return Status::kUnknown;
  }
}

// The name that a program writes: cuMemAlloc of cuMemAlloc_v2.
inline std::string_view written_name(std::string_view symbol) {
  const std::size_t end = symbol.find("_v");
  return symbol.substr(0, end);
}

// `function`: its name, by which faults are injected; `needs`: see state.h.
template <typename Work>
CUresult driver_call(const char* function, unsigned needs, Work&& work) {
  if (const std::optional<int> code =
          emulator::injected(written_name(function))) {
    return static_cast<CUresult>(*code);
  }
  return guarded<DriverResult>([&]() -> DriverResult {
           const Status ready = prepare_driver(needs);
           if (ready != Status::kSuccess) return ready;
           return work();
         })
      .code;
}

template <typename Work>
cudaError_t runtime_call(const char* function, unsigned needs, Work&& work) {
  if (const std::optional<int> code = emulator::injected(function)) {
    return remember(static_cast<cudaError_t>(*code));
  }
  return remember(guarded<RuntimeResult>([&]() -> RuntimeResult {
                    const Status ready = prepare_runtime(needs);
                    if (ready != Status::kSuccess) return ready;
                    return work();
                  }).code);
}

}  // namespace eclosion::cuda
