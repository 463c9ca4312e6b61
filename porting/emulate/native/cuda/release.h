// The release whose behaviour is shown.
#pragma once

#include <string_view>

namespace eclosion::cuda {

// As cudaRuntimeGetVersion and cuDriverGetVersion give it: 13000 of "13.0".
// Empty or no release: that of the headers that this was built with.
int release_number(std::string_view release);
// Of this process (ECLOSION_EMULATOR_RELEASE).
int release_number();

}  // namespace eclosion::cuda
