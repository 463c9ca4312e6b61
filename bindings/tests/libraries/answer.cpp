// An ordinary library for the tests to open: one function, no dependencies.
extern "C" int answer() { return 42; }
