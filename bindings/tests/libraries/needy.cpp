// A library that needs another one, which the loader will not find.
extern "C" int answer();
extern "C" int twice() { return 2 * answer(); }
