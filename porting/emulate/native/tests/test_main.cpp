// The entry point of the emulator's C++ unit tests; doctest writes it.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
