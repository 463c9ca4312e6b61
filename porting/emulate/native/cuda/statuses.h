// The core's statuses in the numbers of the driver and of the runtime.
#pragma once

#include <cuda.h>
#include <driver_types.h>

#include <optional>

#include "status.h"

namespace eclosion::cuda {

using emulator::Status;

CUresult driver_code(Status status);
cudaError_t runtime_code(Status status);
// Of a number of the runtime's or of the driver's; none: no status has it.
std::optional<Status> status_of(int number);

// What a function gives back, from the core's status or the vendor's number.
struct DriverResult {
  DriverResult(Status status) : code(driver_code(status)) {}
  DriverResult(CUresult number) : code(number) {}
  CUresult code;
};

struct RuntimeResult {
  RuntimeResult(Status status) : code(runtime_code(status)) {}
  RuntimeResult(cudaError_t number) : code(number) {}
  cudaError_t code;
};

// The vendor's name and sentence of a number; null: no such number.
const char* driver_error_name(int number);
const char* runtime_error_name(int number);
const char* error_text(int number);

}  // namespace eclosion::cuda
