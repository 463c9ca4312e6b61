// What each architecture is said to be: figures of one product that has it.
//
// Sources: NVIDIA's CUDA C++ Programming Guide, "Technical Specifications per
// Compute Capability", and the data sheets of A100 and H100; AMD's ROCm
// documentation, "Accelerator and GPU hardware specifications", and the data
// sheets of MI210, MI300X, MI355X and RX 7900 XTX.
#include "device.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <vector>

#include "config.h"
#include "program.h"

namespace eclosion::emulator {
namespace {

constexpr std::size_t kKilo = 1024;
constexpr std::size_t kMega = kKilo * kKilo;

struct Architecture {
  const char* arch;
  const char* name;
  int major;
  int minor;
  unsigned wave_size;
  int processors;
  int threads_per_processor;
  int blocks_per_processor;
  int registers_per_block;
  std::size_t shared_per_processor;
  std::size_t shared_opt_in;
  std::size_t shared;
  std::size_t l2_bytes;
  int clock_khz;
  int memory_clock_khz;
  int bus_width_bits;
};

constexpr Architecture kArchitectures[] = {
    {"sm_80", "NVIDIA A100-SXM4-80GB", 8, 0, 32, 108, 2048, 32, 65536,
     164 * kKilo, 163 * kKilo, 48 * kKilo, 40 * kMega, 1410000, 1593000, 5120},
    {"sm_90", "NVIDIA H100 80GB HBM3", 9, 0, 32, 132, 2048, 32, 65536,
     228 * kKilo, 227 * kKilo, 48 * kKilo, 50 * kMega, 1980000, 2619000, 5120},
    {"gfx90a", "AMD Instinct MI210", 9, 0, 64, 104, 2048, 32, 65536, 64 * kKilo,
     64 * kKilo, 64 * kKilo, 8 * kMega, 1700000, 1600000, 4096},
    {"gfx942", "AMD Instinct MI300X", 9, 4, 64, 304, 2048, 32, 65536,
     64 * kKilo, 64 * kKilo, 64 * kKilo, 4 * kMega, 2100000, 1300000, 8192},
    {"gfx950", "AMD Instinct MI355X", 9, 5, 64, 256, 2048, 32, 65536,
     160 * kKilo, 160 * kKilo, 160 * kKilo, 4 * kMega, 2400000, 2000000, 8192},
    {"gfx1100", "AMD Radeon RX 7900 XTX", 11, 0, 32, 48, 2048, 32, 65536,
     64 * kKilo, 64 * kKilo, 64 * kKilo, 6 * kMega, 2482000, 1249000, 384},
};

std::vector<int>& shown() {
  static auto& devices = *new std::vector<int>([] {
    std::vector<int> all;
    for (int number = 0; number < Config::get().devices; ++number) {
      all.push_back(number);
    }
    return all;
  }());
  return devices;
}

const Architecture& architecture() {
  const std::string& wanted = Config::get().arch;
  const std::string arch =
      !wanted.empty() ? wanted
                      : (Program::get().wave_size() == 64 ? "gfx942" : "sm_90");
  const auto* found =
      std::find_if(std::begin(kArchitectures), std::end(kArchitectures),
                   [&](const Architecture& each) { return arch == each.arch; });
  if (found != std::end(kArchitectures)) return *found;
  std::string known;
  for (const Architecture& each : kArchitectures) {
    known += std::string(known.empty() ? "" : ", ") + each.arch;
  }
  std::fprintf(stderr,
               "ECLOSION_EMULATOR_ARCH is '%s', of which nothing is known; "
               "known are %s\n",
               arch.c_str(), known.c_str());
  std::_Exit(2);
}

DeviceFacts facts_of(int number) {
  const Architecture& known = architecture();
  DeviceFacts facts;
  facts.name = known.name;
  facts.arch = known.arch;
  facts.major = known.major;
  facts.minor = known.minor;
  facts.wave_size = known.wave_size;
  facts.processors = known.processors;
  facts.threads_per_processor = known.threads_per_processor;
  facts.blocks_per_processor = known.blocks_per_processor;
  facts.registers_per_block = known.registers_per_block;
  facts.shared_per_processor = known.shared_per_processor;
  facts.l2_bytes = known.l2_bytes;
  facts.clock_khz = known.clock_khz;
  facts.memory_clock_khz = known.memory_clock_khz;
  facts.bus_width_bits = known.bus_width_bits;
  facts.limits.shared_bytes = known.shared;
  facts.limits.shared_bytes_opt_in = known.shared_opt_in;
  if (known.arch[0] == 'g') {
    facts.limits.block = {1024, 1024, 1024};
    facts.limits.grid = {2147483647U, 65536, 65536};
  }
  for (int byte = 0; byte < 16; ++byte) {
    facts.uuid[byte] = static_cast<unsigned char>(0x45 + byte * 7);
  }
  facts.uuid[15] = static_cast<unsigned char>(number);
  facts.pci_bus = number + 1;
  return facts;
}

std::string uuid_text(const DeviceFacts& facts) {
  std::string text;
  for (const unsigned char byte : facts.uuid) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  return text;
}

// The device that a word of the filter names; -1: none.
int named(std::string word) {
  const std::string kPrefix = "GPU-";
  const int count = Config::get().devices;
  if (word.rfind(kPrefix, 0) != 0) {
    char* end = nullptr;
    const long number = std::strtol(word.c_str(), &end, 10);
    const bool is_number = !word.empty() && *end == '\0';
    return is_number && number >= 0 && number < count ? static_cast<int>(number)
                                                      : -1;
  }
  word.erase(0, kPrefix.size());
  word.erase(std::remove(word.begin(), word.end(), '-'), word.end());
  for (int number = 0; number < count && !word.empty(); ++number) {
    if (uuid_text(facts_of(number)).rfind(word, 0) == 0) return number;
  }
  return -1;
}

thread_local int chosen = 0;

}  // namespace

void show_devices(const char* visible) {
  if (visible == nullptr) return;
  std::vector<int> found;
  const std::string text = visible;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const int number = named(text.substr(at, end - at));
    const bool is_again =
        std::find(found.begin(), found.end(), number) != found.end();
    if (number < 0 || is_again) break;
    found.push_back(number);
    at = end + 1;
  }
  shown() = found;
}

int device_count() { return static_cast<int>(shown().size()); }

const DeviceFacts& device_facts(int device) {
  static auto& facts = *new std::vector<DeviceFacts>([] {
    std::vector<DeviceFacts> all;
    for (const int number : shown()) all.push_back(facts_of(number));
    return all;
  }());
  return facts[static_cast<std::size_t>(device)];
}

int current_device() { return chosen; }

void set_current_device(int device) { chosen = device; }

}  // namespace eclosion::emulator
