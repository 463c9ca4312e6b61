// nvcc writes _ZN32_GLOBAL__N__25f52138_4_n_cu_main4anonEPi and _Z4statPi where
// clang writes _ZN12_GLOBAL__N_14anonEPi and _ZL4statPi (read off both).
#include "names.h"

#include <cctype>
#include <cstdlib>
#include <string_view>

namespace eclosion::emulator {
namespace {

constexpr std::string_view kAnonymous = "_GLOBAL__N_";
constexpr std::string_view kInternal = "_INTERNAL_";

bool is_digit(char each) {
  return std::isdigit(static_cast<unsigned char>(each)) != 0;
}

// The length that a mangled name gives at a place, and where its letters begin.
std::size_t length_at(const std::string& name, std::size_t at,
                      std::size_t* begin) {
  std::size_t end = at;
  while (end < name.size() && is_digit(name[end])) ++end;
  *begin = end;
  if (end == at || end - at > 6) return 0;
  const auto length =
      static_cast<std::size_t>(std::atol(name.substr(at, end - at).c_str()));
  return end + length <= name.size() ? length : 0;
}

// Without a suffix such as .static.2a3f or .intern.2a3f.
std::string without_suffix(const std::string& name) {
  const std::size_t dot = name.find('.');
  return dot == std::string::npos ? name : name.substr(0, dot);
}

}  // namespace

std::string canonical(const std::string& mangled) {
  const std::string name = without_suffix(mangled);
  if (name.rfind("_Z", 0) != 0) return name;
  std::string result;
  for (std::size_t at = 0; at < name.size();) {
    std::size_t begin = at;
    const std::size_t length =
        is_digit(name[at]) && (at == 0 || !is_digit(name[at - 1]))
            ? length_at(name, at, &begin)
            : 0;
    if (length == 0) {
      // The mark of what is local to a unit, before its length. Values of
      // enumerations lose theirs too, on both sides alike.
      const bool is_mark =
          name[at] == 'L' && at + 1 < name.size() && is_digit(name[at + 1]);
      if (!is_mark) result += name[at];
      ++at;
      continue;
    }
    const std::string_view word(name.data() + begin, length);
    if (word.starts_with(kAnonymous)) {
      result += kAnonymous;
    } else if (!word.starts_with(kInternal)) {
      result += name.substr(at, begin - at);
      result += word;
    }
    at = begin + length;
  }
  // A variable outside of namespaces: _Z2sv for sv.
  std::size_t begin = 2;
  const std::size_t length = length_at(result, 2, &begin);
  if (length != 0 && begin + length == result.size()) {
    return result.substr(begin);
  }
  return result;
}

}  // namespace eclosion::emulator
