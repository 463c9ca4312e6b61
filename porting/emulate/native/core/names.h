// Names of kernels and variables as different host compilers write them. Pure.
#pragma once

#include <string>

namespace eclosion::emulator {

// One form for what is the same name: compilers number anonymous namespaces
// differently, mark what is local to a unit or leave it unmarked, and name its
// variables with or without mangling.
std::string canonical(const std::string& mangled);

}  // namespace eclosion::emulator
