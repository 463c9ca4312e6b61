// The list is read once; each entry counts its own calls.
#include "injection.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "config.h"
#include "scheduler.h"

namespace eclosion::emulator {
namespace {

struct Fault {
  std::string entry;
  bool is_kernel = false;
  std::string name;
  long at = 0;  // 0: at every call
  int code = 0;
  long calls = 0;
};

[[noreturn]] void refuse(const std::string& entry) {
  std::fprintf(stderr,
               "ECLOSION_EMULATOR_FAULTS has '%s'; an entry is "
               "[kernel ]NAME[:N]=CODE with numbers N from 1 and CODE\n",
               entry.c_str());
  std::_Exit(2);
}

long number(const std::string& text, const std::string& entry) {
  char* end = nullptr;
  const long value = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || value < 1) refuse(entry);
  return value;
}

Fault parse(const std::string& entry) {
  const std::string kKernel = "kernel ";
  Fault fault;
  fault.entry = entry;
  const std::size_t equals = entry.rfind('=');
  if (equals == std::string::npos) refuse(entry);
  fault.code = static_cast<int>(number(entry.substr(equals + 1), entry));
  fault.name = entry.substr(0, equals);
  if (fault.name.rfind(kKernel, 0) == 0) {
    fault.is_kernel = true;
    fault.name.erase(0, kKernel.size());
  }
  const std::size_t colon = fault.name.rfind(':');
  // Two colons belong to a name.
  if (colon != std::string::npos && colon > 0 && fault.name[colon - 1] != ':') {
    fault.at = number(fault.name.substr(colon + 1), entry);
    fault.name.erase(colon);
  }
  if (fault.name.empty()) refuse(entry);
  return fault;
}

std::vector<Fault> parse_all(const std::string& text) {
  std::vector<Fault> faults;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(';', at), text.size());
    if (end > at) faults.push_back(parse(text.substr(at, end - at)));
    at = end + 1;
  }
  return faults;
}

// A kernel is named in full or without its parameters.
bool is_named(const Fault& fault, std::string_view name) {
  if (fault.name == name) return true;
  if (!fault.is_kernel) return false;
  const std::size_t at = name.find(fault.name);
  if (at == std::string_view::npos) return false;
  const std::size_t end = at + fault.name.size();
  const bool begins = at == 0 || name[at - 1] == ' ' || name[at - 1] == ':';
  return begins && (end == name.size() || name[end] == '(' || name[end] == '<');
}

struct Faults {
  std::mutex lock;
  std::vector<Fault> list = parse_all(Config::get().faults);
  bool is_asked = false;  // of any call
};

Faults& faults() {
  // Never destroyed: workers may still run while the process ends.
  static auto& all = *new Faults;
  return all;
}

std::optional<int> ask(bool is_kernel, std::string_view name) {
  Faults& all = faults();
  if (all.list.empty()) return std::nullopt;
  const std::lock_guard<std::mutex> guard(all.lock);
  all.is_asked = true;
  std::optional<int> found;
  for (Fault& fault : all.list) {
    if (fault.is_kernel != is_kernel || !is_named(fault, name)) continue;
    ++fault.calls;
    if (fault.at == 0 || fault.at == fault.calls) found = fault.code;
  }
  return found;
}

// A process that called nothing is one that only starts the program.
__attribute__((destructor)) void tell_what_came_to_nothing() {
  if (Config::get().faults.empty() || is_forked_child()) return;
  Faults& all = faults();
  const std::lock_guard<std::mutex> guard(all.lock);
  if (!all.is_asked) return;
  for (const Fault& fault : all.list) {
    if (fault.calls != 0 && fault.calls >= fault.at) continue;
    const std::string calls =
        fault.calls == 0
            ? "nothing of that name was called"
            : "there were only " + std::to_string(fault.calls) + " calls";
    std::fprintf(stderr, "ECLOSION_EMULATOR_FAULTS has '%s', and %s\n",
                 fault.entry.c_str(), calls.c_str());
  }
}

}  // namespace

std::optional<int> injected(std::string_view function) {
  return ask(false, function);
}

std::optional<int> injected_in_kernel(std::string_view kernel) {
  return ask(true, kernel);
}

void refuse_injected(std::string_view kernel, int code) {
  std::fprintf(
      stderr,
      "ECLOSION_EMULATOR_FAULTS has %d for the kernel %s, which cannot "
      "end with it; give a number such as 719, a launch failure\n",
      code, std::string(kernel).c_str());
  std::_Exit(2);
}

}  // namespace eclosion::emulator
