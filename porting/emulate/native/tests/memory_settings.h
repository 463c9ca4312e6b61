// The machine that the tests of memory run on: two devices of 256 MiB.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace eclosion::emulator::tests {

inline constexpr std::size_t kKiB = 1024;
inline constexpr std::size_t kMiB = 1024 * kKiB;
inline constexpr std::size_t kDeviceMemory = 256 * kMiB;
inline constexpr int kDevices = 2;

// Before main(), since the settings are read once.
inline const bool kIsSet = ::setenv("ECLOSION_EMULATOR_DEVICES", "2", 1) == 0 &&
                           ::setenv("ECLOSION_EMULATOR_MEMORY", "256M", 1) == 0;

}  // namespace eclosion::emulator::tests
