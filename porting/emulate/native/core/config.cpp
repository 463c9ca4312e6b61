// Values that cannot be read stop the program at once: a run under settings
// that nobody asked for would prove nothing.
#include "config.h"

#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <thread>

#include "arena.h"
#include "stream.h"

namespace eclosion::emulator {
namespace {

constexpr std::uint64_t kMostWorkers = 1024;
constexpr std::uint64_t kLongestDelayUs = 1'000'000'000'000;  // eleven days

std::string text_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

[[noreturn]] void refuse(const char* name, const std::string& value,
                         const char* wanted) {
  std::fprintf(stderr, "%s is '%s', which is no %s; unset it or mend it\n",
               name, value.c_str(), wanted);
  std::_Exit(2);
}

// Digits and what follows them; none: the number does not fit.
std::optional<std::uint64_t> digits(const std::string& text,
                                    std::string* rest) {
  std::uint64_t found = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, found);
  if (read.ec != std::errc()) return std::nullopt;
  *rest = std::string(read.ptr, end);
  return found;
}

std::uint64_t number(const char* name, std::uint64_t unset, std::uint64_t least,
                     std::uint64_t most) {
  const std::string value = text_of(name);
  if (value.empty()) return unset;
  std::string rest;
  const std::optional<std::uint64_t> found = digits(value, &rest);
  if (!found || !rest.empty() || *found < least || *found > most) {
    const std::string wanted =
        "number from " + std::to_string(least) + " to " + std::to_string(most);
    refuse(name, value, wanted.c_str());
  }
  return *found;
}

std::size_t bytes(const char* name, std::size_t unset, std::size_t most) {
  const std::string value = text_of(name);
  if (value.empty()) return unset;
  std::string unit;
  const std::uint64_t found = digits(value, &unit).value_or(0);
  const std::size_t known = std::string("KMG").find(unit);
  const std::size_t shift =
      unit.size() == 1 && known != std::string::npos ? 10 * (known + 1) : 0;
  const bool is_unit = unit.empty() || shift != 0;
  if (!is_unit || found == 0 || found > (SIZE_MAX >> shift)) {
    refuse(name, value, "number of bytes such as 512M");
  }
  if (found << shift > most) {
    const std::string wanted =
        "number of bytes up to " + std::to_string(most >> 30) + "G";
    refuse(name, value, wanted.c_str());
  }
  return found << shift;
}

std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    if (end > at) found.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return found;
}

unsigned wave() {
  const std::string value = text_of("ECLOSION_EMULATOR_WAVE");
  if (value.empty() || value == "0") return 0;
  if (value != "32" && value != "64") {
    refuse("ECLOSION_EMULATOR_WAVE", value,
           "width of a wave, which is 32 or 64");
  }
  return value == "32" ? 32 : 64;
}

Config read() {
  Config config;
  config.sidecars = parts(text_of("ECLOSION_EMULATOR_SIDECARS"));
  config.devices =
      static_cast<int>(number("ECLOSION_EMULATOR_DEVICES", 1, 0, kMostDevices));
  config.memory =
      bytes("ECLOSION_EMULATOR_MEMORY", config.memory, kMostArenaBytes);
  config.wave = wave();
  const unsigned processors = std::thread::hardware_concurrency();
  config.workers = static_cast<unsigned>(
      number("ECLOSION_EMULATOR_WORKERS", processors == 0 ? 1 : processors, 1,
             kMostWorkers));
  config.seed = number("ECLOSION_EMULATOR_SEED", 0, 0, UINT64_MAX);
  config.delay_us = number("ECLOSION_EMULATOR_DELAY_US", 0, 0, kLongestDelayUs);
  config.faults = text_of("ECLOSION_EMULATOR_FAULTS");
  config.report = text_of("ECLOSION_EMULATOR_REPORT");
  config.trace = text_of("ECLOSION_EMULATOR_TRACE");
  config.leaks = number("ECLOSION_EMULATOR_LEAKS", 0, 0, 1) != 0;
  config.symbolizer = text_of("ECLOSION_EMULATOR_SYMBOLIZER");
  config.arch = text_of("ECLOSION_EMULATOR_ARCH");
  config.release = text_of("ECLOSION_EMULATOR_RELEASE");
  return config;
}

}  // namespace

const Config& Config::get() {
  static const Config& config = *new Config(read());  // never destroyed
  return config;
}

}  // namespace eclosion::emulator
