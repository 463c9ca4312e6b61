// Two filters of devices, one behind the other, as one list.
#pragma once

#include <optional>
#include <string>

namespace eclosion::hip {

// `lower`: what the lower runtime shows (ROCR_VISIBLE_DEVICES), which
// renumbers; `upper`: a choice of those (HIP_VISIBLE_DEVICES). Null: no filter.
// Each is a list of ordinals and UUIDs that ends at the first ordinal that is
// none. Nothing: there is no filter.
std::optional<std::string> visible_devices(const char* lower, const char* upper,
                                           int devices);

}  // namespace eclosion::hip
