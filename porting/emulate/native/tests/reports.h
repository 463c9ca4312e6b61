// The findings of a test, as the report has them. Includes the machine's
// settings.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "memory_settings.h"

namespace eclosion::emulator::tests {

inline const std::string& report_path() {
  static const std::string path = [] {
    char name[] = "/tmp/eclosion-report-XXXXXX";
    const int file = mkstemp(name);
    if (file >= 0) close(file);
    return std::string(name);
  }();
  return path;
}

// Before main(), since the settings are read once.
inline const bool kIsReported =
    ::setenv("ECLOSION_EMULATOR_REPORT", report_path().c_str(), 1) == 0;

// What has been told since the last call.
inline std::string new_findings() {
  static std::size_t read = 0;
  std::ifstream file(report_path());
  std::stringstream all;
  all << file.rdbuf();
  const std::string text = all.str().substr(read);
  read += text.size();
  return text;
}

struct ReportRemoved {
  ~ReportRemoved() { unlink(report_path().c_str()); }
};
inline const ReportRemoved kReportRemoved;

// Places that findings can be of; each is told of once.
inline const void* next_site() {
  static char places[4096];
  static std::size_t used = 0;
  return &places[used++];
}

}  // namespace eclosion::emulator::tests
