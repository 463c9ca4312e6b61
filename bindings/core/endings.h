// Of all that has ended in a program: that it did, and of the newest also how.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace eclosion {

// Numbers of what has ended, with a text each. A number is kept for good, at
// eight bytes: whoever still names it must not wait for an answer. Texts are
// kept up to a limit; those of the longest ended go first, and are empty then.
// Not thread-safe.
class Endings {
 public:
  explicit Endings(std::uint64_t limit) : limit_(limit) {}

  // False, and nothing changes, when it has ended already.
  bool add(std::uint64_t number, const std::string& text);
  // It has begun again; false if it had not ended.
  bool remove(std::uint64_t number);
  [[nodiscard]] std::optional<std::string> find(std::uint64_t number) const;
  [[nodiscard]] bool contains(std::uint64_t number) const;
  [[nodiscard]] std::size_t size() const { return told_.size() + old_.size(); }
  // What the texts take, with what holds them.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  struct Told {
    std::uint64_t number;
    std::string text;
  };
  [[nodiscard]] bool is_old(std::uint64_t number) const;
  void forget_text();

  const std::uint64_t limit_;
  std::uint64_t bytes_ = 0;
  std::list<Told> told_;  // the longest ended first
  std::unordered_map<std::uint64_t, std::list<Told>::iterator> places_;
  std::vector<std::uint64_t> old_;  // without a text, sorted
};

}  // namespace eclosion
