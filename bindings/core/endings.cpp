// Texts within a limit, numbers for good.
#include "endings.h"

#include <algorithm>

namespace eclosion {
namespace {

// A row of the list and one of the map, about.
constexpr std::uint64_t kRow = 128;

}  // namespace

bool Endings::add(std::uint64_t number, const std::string& text) {
  if (contains(number)) return false;
  told_.push_back({number, text});
  places_[number] = std::prev(told_.end());
  bytes_ += kRow + text.size();
  while (bytes_ > limit_) forget_text();
  return true;
}

void Endings::forget_text() {
  const Told& oldest = told_.front();
  bytes_ -= kRow + oldest.text.size();
  old_.insert(std::lower_bound(old_.begin(), old_.end(), oldest.number),
              oldest.number);
  places_.erase(oldest.number);
  told_.pop_front();
}

bool Endings::remove(std::uint64_t number) {
  if (const auto place = places_.find(number); place != places_.end()) {
    bytes_ -= kRow + place->second->text.size();
    told_.erase(place->second);
    places_.erase(place);
    return true;
  }
  if (!is_old(number)) return false;
  old_.erase(std::lower_bound(old_.begin(), old_.end(), number));
  return true;
}

std::optional<std::string> Endings::find(std::uint64_t number) const {
  if (const auto place = places_.find(number); place != places_.end())
    return place->second->text;
  if (is_old(number)) return "";
  return std::nullopt;
}

bool Endings::contains(std::uint64_t number) const {
  return places_.contains(number) || is_old(number);
}

bool Endings::is_old(std::uint64_t number) const {
  return std::binary_search(old_.begin(), old_.end(), number);
}

}  // namespace eclosion
