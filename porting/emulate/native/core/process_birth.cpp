// Field 22 of proc_pid_stat(5).
#include "process_birth.h"

#include <cstdio>
#include <cstring>

namespace eclosion::emulator {

std::uint64_t birth_of(std::int64_t process) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%lld/stat",
                static_cast<long long>(process));
  std::FILE* file = std::fopen(path, "re");
  if (!file) return 0;
  char text[1024];
  const std::size_t length = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  text[length] = '\0';
  // The name may hold anything, so fields count from its closing bracket.
  const char* field = std::strrchr(text, ')');
  char state = 'Z';
  unsigned long long birth = 0;
  if (!field || std::sscanf(field + 1,
                            " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                            "%*s %*s %*s %*s %*s %*s %*s %llu",
                            &state, &birth) != 2)
    return 0;
  return state == 'Z' || state == 'X' ? 0 : birth;
}

}  // namespace eclosion::emulator
