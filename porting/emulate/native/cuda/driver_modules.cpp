// The marks of images of device code, and the handles of what was loaded.
#include "modules.h"

#include <elf.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "handles.h"
#include "program.h"

namespace eclosion::cuda {
namespace {

using emulator::Program;

// fatbinary_section.h: the wrapper that points to a fatbin.
constexpr std::uint32_t kWrapper = 0x466243b1;
// The first word of a fatbin (binary utilities' documentation names no other).
constexpr std::uint32_t kFatbin = 0xba55ed50;
constexpr std::uint16_t kDeviceMachine = EM_CUDA;

struct Tables {
  emulator::Handles<CUmodule, Module> modules;
  emulator::Handles<CUlibrary, Module> libraries;
};

Tables& tables() {
  static auto* made = new Tables;
  return *made;
}

template <typename Word>
Word word_at(const void* data, std::size_t offset) {
  Word word;
  std::memcpy(&word, static_cast<const unsigned char*>(data) + offset,
              sizeof(word));
  return word;
}

// PTX begins with a .version directive, after comments and blanks.
bool is_ptx(const char* text) {
  for (;;) {
    text += std::strspn(text, " \t\r\n");
    if (std::strncmp(text, "//", 2) == 0) {
      text += std::strcspn(text, "\n");
    } else if (std::strncmp(text, "/*", 2) == 0) {
      const char* const end = std::strstr(text + 2, "*/");
      if (end == nullptr) return false;
      text = end + 2;
    } else {
      return std::strncmp(text, ".version", 8) == 0;
    }
  }
}

bool is_device_elf(const void* image) {
  return std::memcmp(image, ELFMAG, SELFMAG) == 0 &&
         word_at<std::uint16_t>(image, offsetof(Elf64_Ehdr, e_machine)) ==
             kDeviceMachine;
}

}  // namespace

Status check_image(const void* image) {
  if (image == nullptr) return Status::kInvalidValue;
  // No image is shorter than a word, and each kind says so in its first.
  const auto first = word_at<std::uint32_t>(image, 0);
  if (first == kWrapper || first == kFatbin) return Status::kSuccess;
  if (is_device_elf(image) || is_ptx(static_cast<const char*>(image))) {
    return Status::kSuccess;
  }
  return Status::kInvalidImage;
}

Status check_file(const char* path) {
  if (path == nullptr) return Status::kInvalidValue;
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status::kFileNotFound;
  std::string text{std::istreambuf_iterator<char>(file), {}};
  text.resize(std::max(text.size(), sizeof(Elf64_Ehdr)));
  return check_image(text.c_str());
}

CUmodule add_module(int device) {
  return tables().modules.add(std::make_shared<Module>(Module{device}));
}

Status find_module(CUmodule handle, Module* module) {
  const auto found = tables().modules.find(handle);
  if (!found) return Status::kInvalidHandle;
  *module = *found;
  return Status::kSuccess;
}

Status unload_module(CUmodule handle) {
  return tables().modules.take(handle) ? Status::kSuccess
                                       : Status::kInvalidHandle;
}

CUlibrary add_library() {
  return tables().libraries.add(std::make_shared<Module>());
}

Status find_library(CUlibrary handle) {
  return tables().libraries.find(handle) ? Status::kSuccess
                                         : Status::kInvalidHandle;
}

Status unload_library(CUlibrary handle) {
  return tables().libraries.take(handle) ? Status::kSuccess
                                         : Status::kInvalidHandle;
}

Status check_kernel(const std::string& name, int device) {
  emulator::Kernel* kernel = nullptr;
  const Status status = Program::get().kernel_by_name(name, device, &kernel);
  return status == Status::kUnknownKernel ? Status::kNotFound : status;
}

Status find_global(const char* name, int device, void** address,
                   std::size_t* size) {
  if (name == nullptr) return Status::kInvalidValue;
  void* found = nullptr;
  std::size_t bytes = 0;
  const Status status =
      Program::get().variable_by_name(name, device, &found, &bytes);
  if (status == Status::kUnknownVariable) return Status::kNotFound;
  if (status != Status::kSuccess) return status;
  if (address != nullptr) *address = found;
  if (size != nullptr) *size = bytes;
  return Status::kSuccess;
}

}  // namespace eclosion::cuda
