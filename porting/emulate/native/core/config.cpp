// Values that cannot be read stop the program at once: a run under settings
// that nobody asked for would prove nothing.
#include "config.h"

#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace eclosion::emulator {
namespace {

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

std::uint64_t number(const char* name, std::uint64_t unset) {
  const std::string value = text_of(name);
  if (value.empty()) return unset;
  char* end = nullptr;
  const std::uint64_t found = std::strtoull(value.c_str(), &end, 10);
  if (*end != '\0' || std::isdigit(static_cast<unsigned char>(value[0])) == 0) {
    refuse(name, value, "number");
  }
  return found;
}

std::size_t bytes(const char* name, std::size_t unset) {
  const std::string value = text_of(name);
  if (value.empty()) return unset;
  char* end = nullptr;
  std::uint64_t found = std::strtoull(value.c_str(), &end, 10);
  const std::string unit = end;
  const std::string known = "KMG";
  if (unit.size() == 1 && known.find(unit[0]) != std::string::npos) {
    found <<= 10 * (known.find(unit[0]) + 1);
  } else if (!unit.empty() || found == 0) {
    refuse(name, value, "number of bytes such as 512M");
  }
  return found;
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

Config read() {
  Config config;
  config.sidecars = parts(text_of("ECLOSION_EMULATOR_SIDECARS"));
  config.devices =
      static_cast<int>(number("ECLOSION_EMULATOR_DEVICES", 1) % 1024);
  config.memory = bytes("ECLOSION_EMULATOR_MEMORY", config.memory);
  config.wave = static_cast<unsigned>(number("ECLOSION_EMULATOR_WAVE", 0));
  if (config.wave != 0 && config.wave != 32 && config.wave != 64) {
    refuse("ECLOSION_EMULATOR_WAVE", text_of("ECLOSION_EMULATOR_WAVE"),
           "width of a wave, which is 32 or 64");
  }
  const unsigned processors = std::thread::hardware_concurrency();
  config.workers = static_cast<unsigned>(
      number("ECLOSION_EMULATOR_WORKERS", processors == 0 ? 1 : processors));
  if (config.workers == 0) config.workers = 1;
  config.seed = number("ECLOSION_EMULATOR_SEED", 0);
  config.delay_us = number("ECLOSION_EMULATOR_DELAY_US", 0);
  config.faults = text_of("ECLOSION_EMULATOR_FAULTS");
  config.report = text_of("ECLOSION_EMULATOR_REPORT");
  config.trace = text_of("ECLOSION_EMULATOR_TRACE");
  config.leaks = number("ECLOSION_EMULATOR_LEAKS", 0) != 0;
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
