// The table of driver.h, filled once.
#include "driver.h"

#include "dynlib.h"
#include "error.h"
#include "unsupported.h"

namespace eclosion::gpu {
namespace {

// The library stays open for as long as the process: the table's addresses
// are in it, and drivers do not stand being unloaded.
Driver open_driver() {
  static const Library library = Library::open({"libcuda.so.1"});
  Driver driver;
  driver.path = library.path();
#define ECLOSION_DRIVER_RESOLVE(function, symbol)                      \
  driver.function##_ = reinterpret_cast<decltype(driver.function##_)>( \
      library.resolve({symbol}).front().address);
  ECLOSION_DRIVER_FUNCTIONS(ECLOSION_DRIVER_RESOLVE)
#undef ECLOSION_DRIVER_RESOLVE
  return driver;
}

std::string text_of(decltype(Driver::cuGetErrorName_) ask, CUresult status,
                    const char* unknown) {
  const char* text = nullptr;
  if (ask == nullptr || ask(status, &text) != CUDA_SUCCESS || text == nullptr) {
    return unknown;
  }
  return text;
}

}  // namespace

const Driver& Driver::get() {
  static const Driver driver = open_driver();
  return driver;
}

void check_driver(CUresult status, const char* call) {
  if (status == CUDA_SUCCESS) return;
  const Driver& driver = Driver::get();
  const GpuError error(
      call, static_cast<int>(status),
      text_of(driver.cuGetErrorName_, status, "unknown error"),
      text_of(driver.cuGetErrorString_, status, "no description"));
  if (status == CUDA_ERROR_NOT_SUPPORTED) throw UnsupportedError(error);
  throw error;
}

void throw_missing(const char* function) {
  throw UnsupportedError(
      function, std::string(function) + " is not in the driver at " +
                    Driver::get().path + "; it comes with a newer driver");
}

}  // namespace eclosion::gpu
