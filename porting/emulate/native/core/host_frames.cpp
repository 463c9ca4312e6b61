// Frames are gathered by the unwinder of the compiler's library, which takes no
// locks from glibc 2.35 on: that has ready what is read of modules
// (_dl_find_object).
#include "host_frames.h"

#include <dlfcn.h>
#include <unwind.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "places.h"

namespace eclosion::emulator {
namespace {

// The start of a file's name.
constexpr std::string_view kSystem[] = {
    "ld-linux",      "libc.so",      "libc++.so",     "libc++abi.so",
    "libffi.so",     "libgcc_s.so",  "libm.so",       "libmvec.so",
    "libpthread.so", "libstdc++.so", "libunwind.so",  "libeclosion_emulator.so",
    "libcudart.so",  "libcuda.so",   "libamdhip64.so"};

// The C library has them in several forms, whose names it does not export.
constexpr const char* kMemoryFunctions[] = {
    "memcpy",  "memmove", "mempcpy", "memset",  "memcmp",     "memchr",
    "memrchr", "strlen",  "strnlen", "strcpy",  "strncpy",    "stpcpy",
    "strcat",  "strncat", "strcmp",  "strncmp", "strcasecmp", "strchr",
    "strrchr", "strspn",  "strcspn", "strpbrk", "strstr",     "wmemset",
    "wmemcmp", "wmemchr", "wcslen",  "wcscpy",  "rawmemchr"};

struct Walk {
  const void* instruction;
  bool is_begun;
  HostFrames frames;
};

_Unwind_Reason_Code keep(_Unwind_Context* context, void* given) {
  Walk& walk = *static_cast<Walk*>(given);
  int is_before = 0;  // a return address is behind its call
  const _Unwind_Ptr at = _Unwind_GetIPInfo(context, &is_before);
  if (!walk.is_begun) {
    walk.is_begun = at == reinterpret_cast<_Unwind_Ptr>(walk.instruction);
    return _URC_NO_REASON;
  }
  if (at == 0 || walk.frames.count == walk.frames.at.size())
    return _URC_END_OF_STACK;
  walk.frames.at[walk.frames.count++] =
      reinterpret_cast<const void*>(is_before != 0 ? at + 1 : at);
  return _URC_NO_REASON;
}

bool is_of_the_system(const void* address) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return false;
  std::string_view name = info.dli_fname;
  name.remove_prefix(name.rfind('/') + 1);  // all of it is left without one
  return std::ranges::any_of(
      kSystem, [&](std::string_view part) { return name.starts_with(part); });
}

// Several names may be of one function.
std::string memory_function(const void* start) {
  std::string names;
  for (const char* name : kMemoryFunctions) {
    if (start == nullptr || ::dlsym(RTLD_DEFAULT, name) != start) continue;
    names += (names.empty() ? "" : " or ") + std::string(name);
  }
  return names;
}

std::string function_at(const void* address) {
  void* const inside = const_cast<char*>(static_cast<const char*>(address) - 1);
  const std::string known =
      memory_function(::_Unwind_FindEnclosingFunction(inside));
  return known.empty() ? locate(address).function : known;
}

}  // namespace

HostFrames frames_at(const void* instruction) {
  Walk walk{instruction, false, {{}, 1}};
  walk.frames.at[0] = static_cast<const char*>(instruction) + 1;
  ::_Unwind_Backtrace(keep, &walk);
  return walk.frames;
}

HostPlace own_place(const HostFrames& frames) {
  const auto end = frames.at.begin() + frames.count;
  const auto first = std::find_if_not(frames.at.begin(), end, is_of_the_system);
  if (first == end) return {frames.at[0], ""};
  auto own = std::find_if(first, end, [](const void* address) {
    return !is_of_the_system(address) && !locate(address).is_standard;
  });
  if (own == end) own = first;
  if (own == frames.at.begin()) return {*own, ""};
  return {*own, function_at(*std::prev(own))};
}

}  // namespace eclosion::emulator
