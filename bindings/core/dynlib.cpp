// dlopen, dlsym and dlinfo behind the types of dynlib.h.
#include "dynlib.h"

#include <dlfcn.h>
#include <link.h>

#include <utility>

namespace eclosion {
namespace {

// Lazy, because a vendor library may miss a dependency that nobody calls;
// local, because libraries of different vendors export the same names.
constexpr int kOpenFlags = RTLD_LAZY | RTLD_LOCAL;

std::string take_dlerror() {
  const char* text = dlerror();
  return text != nullptr ? text : "the loader gave no reason";
}

std::string describe(const std::vector<FailedCandidate>& failures) {
  std::string text = "no candidate could be opened";
  const char* separator = ": ";
  for (const FailedCandidate& failure : failures) {
    text += separator;
    // The loader's words start with the name of the file it missed, which is
    // another one when a dependency is missing.
    if (!failure.reason.starts_with(failure.name + ":")) {
      text += failure.name + ": ";
    }
    text += failure.reason;
    separator = "; ";
  }
  return text;
}

// The loader takes an empty name for the main program and cuts a name at a
// zero byte: both would find something that was not asked for.
void check_name(const std::string& name) {
  if (name.empty() || name.find('\0') != std::string::npos) {
    throw std::invalid_argument(
        "a library or symbol name is empty or contains a zero byte");
  }
}

void check_candidates(const std::vector<std::string>& candidates) {
  if (candidates.empty()) {
    throw std::invalid_argument(
        "no library name was given; name at least one soname or path");
  }
  for (const std::string& name : candidates) check_name(name);
}

std::string loaded_path(void* handle, const std::string& fallback) {
  const link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr ||
      map->l_name == nullptr || *map->l_name == '\0') {
    return fallback;
  }
  return map->l_name;
}

}  // namespace

LibraryError::LibraryError(std::vector<FailedCandidate> failures)
    : std::runtime_error(describe(failures)), failures_(std::move(failures)) {}

Library Library::open(const std::vector<std::string>& candidates) {
  check_candidates(candidates);
  for (const std::string& name : candidates) {
    if (void* handle = dlopen(name.c_str(), kOpenFlags | RTLD_NOLOAD)) {
      return {handle, name, Origin::kShared};
    }
  }
  std::vector<FailedCandidate> failures;
  for (const std::string& name : candidates) {
    dlerror();
    if (void* handle = dlopen(name.c_str(), kOpenFlags)) {
      return {handle, name, Origin::kLoaded};
    }
    failures.push_back({name, take_dlerror()});
  }
  throw LibraryError(std::move(failures));
}

Library::Library(void* handle, std::string name, Origin origin)
    : handle_(handle),
      name_(std::move(name)),
      path_(loaded_path(handle, name_)),
      origin_(origin) {}

Library::Library(Library&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      name_(std::move(other.name_)),
      path_(std::move(other.path_)),
      origin_(other.origin_) {}

Library& Library::operator=(Library&& other) noexcept {
  Library taken(std::move(other));  // what we held is closed with it
  std::swap(handle_, taken.handle_);
  std::swap(name_, taken.name_);
  std::swap(path_, taken.path_);
  std::swap(origin_, taken.origin_);
  return *this;
}

Library::~Library() {
  if (handle_ != nullptr) dlclose(handle_);
}

std::vector<Symbol> Library::resolve(
    const std::vector<std::string>& names) const {
  // A null handle would make dlsym search the whole process.
  if (handle_ == nullptr) {
    throw std::logic_error("the library handle was moved from");
  }
  std::vector<Symbol> table;
  table.reserve(names.size());
  for (const std::string& name : names) {
    check_name(name);
    Symbol symbol{name, nullptr, {}};
    dlerror();
    symbol.address = dlsym(handle_, name.c_str());
    if (symbol.address == nullptr) symbol.reason = take_dlerror();
    table.push_back(std::move(symbol));
  }
  return table;
}

}  // namespace eclosion
