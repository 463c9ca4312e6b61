// The program's kernels and variables, as its start-up code registers them, and
// the sidecars that have their code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "launch.h"
#include "status.h"

namespace eclosion::emulator {

class Program {
 public:
  static Program& get();

  // One call per embedded image of device code, in the order of start-up. The
  // handle is for the calls below; `wrapper` identifies the image.
  void** register_image(const void* wrapper);
  void unregister_image(void** handle);
  // Names are as the host compiler gives them; units of sidecars are found by
  // the set of their kernels.
  void register_kernel(void** image, const void* host, const char* name);
  void register_variable(void** image, void* host, const char* name,
                         std::size_t size, bool is_constant);
  // `pointer`: the host's pointer to the variable, which is set.
  void register_managed(void** image, void** pointer, const char* name,
                        std::size_t size);

  // The code of a kernel for a device. kUnknownKernel: no such function, or no
  // sidecar has it, which is told once to stderr.
  Status kernel(const void* host, int device, Kernel** found);
  Status kernel_by_name(const std::string& name, int device, Kernel** found);
  Status variable(const void* host, int device, void** address,
                  std::size_t* size);
  Status variable_by_name(const std::string& name, int device, void** address,
                          std::size_t* size);

  // What of the sidecars an address is in.
  struct Reach {
    bool is_sidecar = false;
    bool is_variable = false;
    bool is_constant = false;
    std::size_t bytes = 0;  // from the address to the variable's end
    std::string name;
  };
  Reach reach(const void* address) const;
  // The sidecar's file and the offset in it, of an address of its code.
  bool locate(const void* address, std::string* file,
              std::uint64_t* offset) const;

  unsigned wave_size();

 private:
  Program();
  struct State;
  State* state_;
};

}  // namespace eclosion::emulator
