// What fuzz targets assert by: it holds in every build, unlike assert().
#pragma once

#include <cstdio>
#include <cstdlib>

// libFuzzer keeps the input of a run that aborts.
#define FUZZ_CHECK(condition)                                               \
  do {                                                                      \
    if (!(condition)) {                                                     \
      std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, \
                   #condition);                                             \
      std::abort();                                                         \
    }                                                                       \
  } while (false)
