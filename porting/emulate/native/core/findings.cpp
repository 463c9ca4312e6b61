// Each finding is a line like a compiler's, with its details below, and a line
// of JSON in the report.
#include "findings.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "config.h"
#include "json_lines.h"
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
    {"EMU015", "no code"},
};

std::atomic<std::uint64_t> count{0};

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
         ", \"at\": " + json_of(finding.at) + ", \"also\": [" + also + "]}";
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
  if (!report.empty()) append_line(report, json_of(finding));
}

}  // namespace eclosion::emulator
