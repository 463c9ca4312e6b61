// Each finding is a line like a compiler's, with its details below, and a line
// of JSON in the report.
#include "findings.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "config.h"
#include "places.h"

namespace eclosion::emulator {
namespace {

struct Known {
  const char* code;
  const char* name;
};

// In the order of Kind; codes are never used twice.
constexpr Known kKinds[] = {
    {"EMU001", "out of bounds"},
    {"EMU002", "use after free"},
    {"EMU003", "memory of the host"},
    {"EMU004", "race on shared memory"},
    {"EMU005", "divergent barrier"},
    {"EMU006", "inactive lane"},
    {"EMU007", "race between streams"},
    {"EMU008", "race with the host"},
    {"EMU009", "assertion"},
    {"EMU010", "trap"},
    {"EMU011", "stack overflow"},
    {"EMU012", "bad free"},
    {"EMU013", "leak"},
    {"EMU014", "misaligned access"},
};

std::atomic<std::uint64_t> count{0};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    if (each == '"' || each == '\\') {
      out += '\\';
      out += each;
    } else if (byte < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", byte);
      out += escaped;
    } else {
      out += each;
    }
  }
  return out + "\"";
}

std::string json_of(const Place& place) {
  const SourcePlace source = locate(place.address);
  return "{\"file\": " + quoted(source.file) +
         ", \"line\": " + std::to_string(source.line) +
         ", \"column\": " + std::to_string(source.column) +
         ", \"function\": " + quoted(source.function) +
         ", \"label\": " + quoted(place.label) + "}";
}

std::string json_of(const Finding& finding) {
  std::string also;
  for (const Place& place : finding.also) {
    also += (also.empty() ? "" : ", ") + json_of(place);
  }
  return std::string("{\"code\": \"") + code_of(finding.kind) +
         "\", \"kind\": " +
         quoted(kKinds[static_cast<int>(finding.kind)].name) +
         ", \"text\": " + quoted(finding.text) +
         ", \"kernel\": " + quoted(finding.kernel) +
         ", \"at\": " + json_of(finding.at) + ", \"also\": [" + also + "]}\n";
}

std::string text_of(const Finding& finding) {
  std::string text =
      locate(finding.at.address).text() + ": " + code_of(finding.kind) + " " +
      kKinds[static_cast<int>(finding.kind)].name + ": " + finding.text;
  if (!finding.kernel.empty()) text += "\n  in kernel " + finding.kernel;
  if (!finding.at.label.empty()) text += "\n  by " + finding.at.label;
  for (const Place& place : finding.also) {
    text += "\n  " + locate(place.address).text() + ": " + place.label;
  }
  return text + "\n";
}

void append(const std::string& path, const std::string& line) {
  const int file =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  // One write per line: processes of one program share the file.
  const ssize_t wrote = ::write(file, line.data(), line.size());
  if (wrote != static_cast<ssize_t>(line.size())) {
    std::fprintf(stderr, "the report %s could not be written\n", path.c_str());
  }
  ::close(file);
}

}  // namespace

const char* code_of(Kind kind) { return kKinds[static_cast<int>(kind)].code; }

std::uint64_t told() { return count.load(); }

void tell(const Finding& finding) {
  // Never destroyed: workers may still run while the process ends.
  static auto& lock = *new std::mutex;
  static auto& known = *new std::set<std::pair<Kind, const void*>>;
  static auto& told_of =
      *new std::set<std::tuple<Kind, std::string, std::string>>;
  const std::lock_guard<std::mutex> guard(lock);
  if (!known.insert({finding.kind, finding.at.address}).second) return;
  // Inlining and unrolling give one place of a source several addresses.
  const SourcePlace source = locate(finding.at.address);
  if (!source.file.empty() &&
      !told_of.insert({finding.kind, finding.kernel, source.text()}).second) {
    return;
  }
  count.fetch_add(1);
  const std::string text = text_of(finding);
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
  const std::string& report = Config::get().report;
  if (!report.empty()) append(report, json_of(finding));
}

}  // namespace eclosion::emulator
