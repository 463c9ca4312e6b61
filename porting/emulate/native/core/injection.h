// Faults that a test asks for, at the calls of the fronts.
//
// ECLOSION_EMULATOR_FAULTS is a list, separated by semicolons, of
//   FUNCTION[:N]=CODE   the Nth call of a vendor's function (each, without N)
//                       returns CODE, the vendor's number, and does nothing
//   kernel NAME[:N]=CODE  the Nth launch of a kernel ends with CODE when it
//   runs
//
// An entry that nothing came of is told when the process ends.
#pragma once

#include <optional>
#include <string_view>

namespace eclosion::emulator {

// Count a call, and give the number it has to return instead.
std::optional<int> injected(std::string_view function);
std::optional<int> injected_in_kernel(std::string_view kernel);
// End the process: no kernel ends with such a number.
[[noreturn]] void refuse_injected(std::string_view kernel, int code);

}  // namespace eclosion::emulator
