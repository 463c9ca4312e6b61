// Lines of JSON that are added to a file, by several processes of one program.
#pragma once

#include <string>

namespace eclosion::emulator {

// A text as a string of JSON, in its quotes.
std::string quoted(const std::string& text);

// Add a line, in one write. That it could not be is said on stderr.
void append_line(const std::string& path, const std::string& line);

}  // namespace eclosion::emulator
