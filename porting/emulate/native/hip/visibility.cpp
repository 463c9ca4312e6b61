// Two filters of devices, one behind the other, as one list.
#include "visibility.h"

#include <cstdlib>
#include <sstream>
#include <vector>

namespace eclosion::hip {

namespace {

using List = std::vector<std::string>;

// The ordinal that a word is; nothing: a UUID or no number.
std::optional<long> ordinal(const std::string& word) {
  char* end = nullptr;
  const long value = std::strtol(word.c_str(), &end, 10);
  const bool is_number = !word.empty() && *end == '\0';
  return is_number ? std::optional(value) : std::nullopt;
}

List split(const char* text) {
  List words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) {
    words.push_back(word);
  }
  return words;
}

// The words up to the first ordinal out of range.
List valid(const char* text, long devices) {
  List kept;
  for (const std::string& word : split(text)) {
    const auto number = ordinal(word);
    if (number && (*number < 0 || *number >= devices)) break;
    kept.push_back(word);
  }
  return kept;
}

std::string joined(const List& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ",") + word;
  }
  return text;
}

}  // namespace

std::optional<std::string> visible_devices(const char* lower, const char* upper,
                                           int devices) {
  if (lower == nullptr) {
    return upper != nullptr ? std::optional(joined(valid(upper, devices)))
                            : std::nullopt;
  }
  const List shown = valid(lower, devices);
  if (upper == nullptr) return joined(shown);
  List chosen;
  for (const std::string& word :
       valid(upper, static_cast<long>(shown.size()))) {
    const auto number = ordinal(word);
    chosen.push_back(number ? shown[static_cast<std::size_t>(*number)] : word);
  }
  return joined(chosen);
}

}  // namespace eclosion::hip
