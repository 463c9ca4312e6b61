// Prints why TLS is not available in this process.
#include <cstdio>

#include "tls.h"

int main() { std::puts(eclosion::tls_unavailable().c_str()); }
