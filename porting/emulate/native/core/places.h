// From addresses of code to lines of sources, by llvm-symbolizer.
#pragma once

#include <string>
#include <vector>

namespace eclosion::emulator {

struct SourcePlace {
  std::string function;
  std::string file;  // empty: not known
  unsigned line = 0;
  unsigned column = 0;
  bool is_standard = false;  // in a header of the standard library
  // "kernels/scan.cu:31:5", else the function or the module with an offset.
  std::string text() const;
};

// The innermost line that is the program's own and not of a device header; of
// the standard library's headers only where no other is in that function.
// `address`: a return address. Slow at first, then remembered.
SourcePlace locate(const void* address);

bool is_same_line(const void* one, const void* other);

// A mangled name as people read it.
std::string demangle(const std::string& name);

}  // namespace eclosion::emulator
