// A write to a file that was opened to append is whole among others.
#include "json_lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace eclosion::emulator {

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

void append_line(const std::string& path, const std::string& line) {
  const int file =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string whole = line + "\n";
  const auto size = static_cast<ssize_t>(whole.size());
  if (file < 0 || ::write(file, whole.data(), whole.size()) != size) {
    std::fprintf(stderr, "%s could not be written\n", path.c_str());
  }
  if (file >= 0) ::close(file);
}

}  // namespace eclosion::emulator
