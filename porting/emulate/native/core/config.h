// What the environment says of the emulated machine; read once.
//
//   ECLOSION_EMULATOR_SIDECARS   sidecar libraries, separated by colons
//   ECLOSION_EMULATOR_DEVICES    number of devices (1)
//   ECLOSION_EMULATOR_MEMORY     bytes of each device, with K, M or G (16G)
//   ECLOSION_EMULATOR_WAVE       lanes of a wave (of the sidecars)
//   ECLOSION_EMULATOR_WORKERS    threads that run blocks (processors)
//   ECLOSION_EMULATOR_SEED       order of threads in a block; 0: ascending (0)
//   ECLOSION_EMULATOR_DELAY_US   time by which work of a stream starts later
//   (0) ECLOSION_EMULATOR_FAULTS     injected faults, see injection.h
//   ECLOSION_EMULATOR_REPORT     file that findings are added to, as JSON lines
//   ECLOSION_EMULATOR_TRACE      file that contents of buffers are added to
//   ECLOSION_EMULATOR_LEAKS      1: tell what is not given back at the end (0)
//   ECLOSION_EMULATOR_SYMBOLIZER llvm-symbolizer
//   ECLOSION_EMULATOR_ARCH       what a device calls itself (gfx942, sm_90)
//   ECLOSION_EMULATOR_RELEASE    release whose behaviour is shown (7.1, 13.0)
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace eclosion::emulator {

struct Config {
  std::vector<std::string> sidecars;
  int devices = 1;
  std::size_t memory = std::size_t{16} << 30;
  unsigned wave = 0;  // 0: what the sidecars were made for
  unsigned workers = 0;
  std::uint64_t seed = 0;
  std::uint64_t delay_us = 0;
  std::string faults;
  std::string report;
  std::string trace;
  bool leaks = false;
  std::string symbolizer;
  std::string arch;
  std::string release;

  // The configuration of this process.
  static const Config& get();
};

}  // namespace eclosion::emulator
