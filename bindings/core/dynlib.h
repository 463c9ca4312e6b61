// Vendor libraries opened at run time: one handle type, one symbol table.
//
// Nothing here knows a vendor or Python. A library that is already mapped into
// the process is shared instead of being loaded a second time, because two
// copies of a GPU runtime in one process do not see each other's state.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace eclosion {

// How an open library came into the process.
enum class Origin {
  kLoaded,  // this handle brought it in
  kShared,  // somebody else had loaded it before
};

// One candidate name that could not be opened, and the loader's own words.
struct FailedCandidate {
  std::string name;
  std::string reason;
};

// None of the candidates of a library could be opened.
class LibraryError : public std::runtime_error {
 public:
  explicit LibraryError(std::vector<FailedCandidate> failures);

  [[nodiscard]] const std::vector<FailedCandidate>& failures() const noexcept {
    return failures_;
  }

 private:
  std::vector<FailedCandidate> failures_;
};

// One row of a symbol table. A symbol that the library lacks has no address
// and keeps the loader's words; that is not an error, the caller decides what
// can be done without it.
struct Symbol {
  std::string name;
  void* address = nullptr;
  std::string reason;
};

// An open shared library. Move-only; closing is left to the destructor, and
// every address that was resolved is valid for as long as the handle lives.
class Library {
 public:
  // Open the first candidate that the loader accepts: sonames, or paths when
  // they contain a slash. All candidates are tried as residents of this
  // process before any is loaded. Throws LibraryError with every reason, or
  // std::invalid_argument when no candidate is a usable name.
  static Library open(const std::vector<std::string>& candidates);

  Library(Library&& other) noexcept;
  Library& operator=(Library&& other) noexcept;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library();

  // Look up each name on its own, in the order given. Throws
  // std::invalid_argument for an empty name.
  [[nodiscard]] std::vector<Symbol> resolve(
      const std::vector<std::string>& names) const;

  // The candidate that was accepted.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  // The file the loader mapped for it.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] Origin origin() const noexcept { return origin_; }

 private:
  Library(void* handle, std::string name, Origin origin);

  void* handle_;
  std::string name_;
  std::string path_;
  Origin origin_;
};

}  // namespace eclosion
