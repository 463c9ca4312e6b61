// The symbolizer is a program of LLVM: it is run for each new address, which
// findings are few enough for.
#include "places.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <string_view>

#include "config.h"
#include "program.h"

extern char** environ;  // NOLINT: the C library's

namespace eclosion::emulator {
namespace {

// What a command prints, without a shell; empty when it fails.
std::string output_of(const std::vector<std::string>& words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (const std::string& word : words) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  // The program's own libraries are not the symbolizer's.
  std::vector<char*> environment;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string entry = *each;
    if (entry.rfind("LD_", 0) != 0) environment.push_back(*each);
  }
  environment.push_back(nullptr);
  pid_t child = -1;
  const int failed = ::posix_spawnp(&child, arguments[0], &actions, nullptr,
                                    arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t got = 0;
       failed == 0 && (got = ::read(ends[0], part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  if (failed == 0) ::waitpid(child, nullptr, 0);
  return text;
}

struct CodeAddress {
  std::string file;
  std::uint64_t offset = 0;
  std::string symbol;
};

CodeAddress code_address(const void* address) {
  CodeAddress found;
  if (Program::get().locate(address, &found.file, &found.offset)) return found;
  Dl_info info{};
  if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return found;
  char path[4096];
  found.file =
      ::realpath(info.dli_fname, path) != nullptr ? path : info.dli_fname;
  found.offset = reinterpret_cast<std::uintptr_t>(address) -
                 reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  if (info.dli_sname != nullptr) found.symbol = info.dli_sname;
  return found;
}

// Headers of ours, and of vendors, whose inline functions stand between the
// program and what it calls.
bool is_of_a_toolkit(const std::string& file) {
  constexpr std::string_view kParts[] = {
      "/emulate/include/", "/include/hip/",       "/cuda_runtime.h",
      "/include/crt/",     "/cuda_runtime_api.h", "/cooperative_groups/",
      ".cudafe1.stub.c"};
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [&](std::string_view part) {
                       return file.find(part) != std::string::npos;
                     });
}

// Also headers of the C library whose functions are inline, as memcpy is under
// _FORTIFY_SOURCE.
bool is_of_the_standard_library(const std::string& file) {
  const std::size_t include = file.find("/include/");
  if (include == std::string::npos) return false;
  return file.find("/c++/", include) != std::string::npos ||
         file.find("/bits/", include) != std::string::npos;
}

// Pairs of lines, a function and FILE:LINE:COLUMN, from the innermost.
std::vector<SourcePlace> parse(const std::string& text) {
  std::vector<SourcePlace> frames;
  std::size_t at = 0;
  const auto line = [&]() {
    const std::size_t end = text.find('\n', at);
    const std::string found = text.substr(at, end - at);
    at = end == std::string::npos ? text.size() : end + 1;
    return found;
  };
  while (at < text.size()) {
    SourcePlace frame;
    frame.function = line();
    if (frame.function.empty() || at >= text.size()) break;
    std::string where = line();
    const std::size_t column = where.rfind(':');
    const std::size_t row =
        column == std::string::npos ? column : where.rfind(':', column - 1);
    if (row == std::string::npos) break;
    frame.file = where.substr(0, row);
    frame.line = static_cast<unsigned>(std::atoi(where.c_str() + row + 1));
    frame.column = static_cast<unsigned>(std::atoi(where.c_str() + column + 1));
    if (frame.file == "??") frame.file.clear();
    frames.push_back(frame);
  }
  return frames;
}

SourcePlace ask(const void* address) {
  const CodeAddress code = code_address(address);
  SourcePlace unknown;
  unknown.function = code.symbol.empty() ? code.file : demangle(code.symbol);
  if (code.file.empty()) return unknown;
  char offset[32];  // of the call, not of what follows it
  std::snprintf(offset, sizeof offset, "0x%llx",
                static_cast<unsigned long long>(code.offset - 1));
  if (code.symbol.empty()) unknown.function += std::string("+") + offset;
  const std::string& symbolizer = Config::get().symbolizer;
  if (symbolizer.empty()) return unknown;
  const std::vector<SourcePlace> frames = parse(output_of(
      {symbolizer, "--obj=" + code.file, "--inlines", "--demangle", offset}));
  SourcePlace standard;
  for (const SourcePlace& frame : frames) {
    if (frame.file.empty() || is_of_a_toolkit(frame.file)) continue;
    if (!is_of_the_standard_library(frame.file)) return frame;
    if (standard.is_standard) continue;
    standard = frame;
    standard.is_standard = true;
  }
  return standard.is_standard ? standard : unknown;
}

}  // namespace

std::string SourcePlace::text() const {
  if (file.empty()) return function.empty() ? "an unknown place" : function;
  std::string name = file;
  char here[4096];
  if (::getcwd(here, sizeof here) != nullptr) {
    const std::string folder = std::string(here) + "/";
    if (name.rfind(folder, 0) == 0) name.erase(0, folder.size());
  }
  name += ":" + std::to_string(line);
  return column == 0 ? name : name + ":" + std::to_string(column);
}

SourcePlace locate(const void* address) {
  // Never destroyed: workers may still run while the process ends.
  static auto& lock = *new std::mutex;
  static auto& known = *new std::map<const void*, SourcePlace>;
  if (address == nullptr) return {};
  const std::lock_guard<std::mutex> guard(lock);
  const auto found = known.find(address);
  if (found != known.end()) return found->second;
  return known[address] = ask(address);
}

bool is_same_line(const void* one, const void* other) {
  if (one == other) return true;
  const SourcePlace first = locate(one);
  const SourcePlace second = locate(other);
  return !first.file.empty() && first.file == second.file &&
         first.line == second.line;
}

std::string demangle(const std::string& name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return result;
}

}  // namespace eclosion::emulator
