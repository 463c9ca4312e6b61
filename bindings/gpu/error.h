// One check for every call: a status becomes an exception that says what
// failed.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace eclosion::gpu {

// A call of the GPU runtime or driver failed.
class GpuError : public std::runtime_error {
 public:
  GpuError(std::string call, int code, std::string name, std::string text);
  // `what`: the message, where it is another than the vendor's words.
  GpuError(const std::string& what, std::string call, int code,
           std::string name, std::string text);

  // The function that failed, as the vendor names it.
  [[nodiscard]] const std::string& call() const noexcept { return call_; }
  // The vendor's number. The two vendors number errors differently.
  [[nodiscard]] int code() const noexcept { return code_; }
  // The vendor's name of the error.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  // The vendor's sentence on it.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string call_;
  int code_;
  std::string name_;
  std::string text_;
};

// Throw GpuError for a status that is no success, UnsupportedError for the one
// that says so.
//
// Releases differ in when a failure is still to be seen in the thread's error
// state. So statuses alone are trusted, and a failure is taken out of that
// state before it is thrown: no later check of anybody's finds it there.
void check(cudaError_t status, const char* call);

// The same for a call that has an answer beside success, which is no failure.
// Return whether it was success.
bool check_unless(cudaError_t status, cudaError_t answer, const char* call);

}  // namespace eclosion::gpu

// The call's own name is the text that people search for.
#define ECLOSION_CALL(function, ...) \
  ::eclosion::gpu::check(function(__VA_ARGS__), #function)
#define ECLOSION_CALL_UNLESS(answer, function, ...) \
  ::eclosion::gpu::check_unless(function(__VA_ARGS__), answer, #function)
