// core/dynlib against real shared libraries built beside this test.
#include "dynlib.h"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using eclosion::Library;
using eclosion::LibraryError;
using eclosion::Origin;
using eclosion::Symbol;

namespace {

static_assert(!std::is_copy_constructible_v<Library>);
static_assert(!std::is_copy_assignable_v<Library>);
static_assert(std::is_nothrow_move_constructible_v<Library>);
static_assert(std::is_nothrow_move_assignable_v<Library>);

const std::string kMissing = "libeclosion-absent.so.0";
const std::string kMissingReason =
    kMissing + ": cannot open shared object file: No such file or directory";

bool is_resident(const char* name) {
  void* handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

LibraryError failure_of(const std::vector<std::string>& candidates) {
  try {
    Library::open(candidates);
  } catch (const LibraryError& error) {
    return error;
  }
  FAIL("the library was opened");
  return LibraryError({});
}

}  // namespace

TEST_CASE("open takes the first candidate that the loader accepts") {
  const Library library = Library::open({kMissing, ANSWER_PATH, OTHER_PATH});
  CHECK(library.name() == ANSWER_PATH);
  CHECK(library.path() == ANSWER_PATH);
  CHECK(library.origin() == Origin::kLoaded);
  CHECK_FALSE(is_resident(OTHER_PATH));
}

TEST_CASE("open shares a resident copy by its soname") {
  const Library first = Library::open({ANSWER_PATH});
  const Library second = Library::open({ANSWER_SONAME});
  CHECK(second.origin() == Origin::kShared);
  CHECK(second.path() == ANSWER_PATH);
  CHECK(second.resolve({"answer"})[0].address ==
        first.resolve({"answer"})[0].address);
}

TEST_CASE("open prefers a resident candidate over an earlier loadable one") {
  const Library resident = Library::open({OTHER_PATH});
  const Library library = Library::open({ANSWER_PATH, OTHER_PATH});
  CHECK(library.name() == OTHER_PATH);
  CHECK(library.origin() == Origin::kShared);
  CHECK_FALSE(is_resident(ANSWER_PATH));
}

TEST_CASE("open reports the loader's reason for every candidate") {
  const LibraryError error = failure_of({kMissing, NOT_ELF_PATH});
  REQUIRE(error.failures().size() == 2);
  CHECK(error.failures()[0].name == kMissing);
  CHECK(error.failures()[0].reason == kMissingReason);
  CHECK(error.failures()[1].name == NOT_ELF_PATH);
  CHECK(error.failures()[1].reason ==
        std::string(NOT_ELF_PATH) + ": invalid ELF header");
  CHECK(std::string(error.what()) ==
        "no candidate could be opened: " + kMissingReason + "; " +
            NOT_ELF_PATH + ": invalid ELF header");
}

TEST_CASE("open names the library and its dependency when that is missing") {
  const LibraryError error = failure_of({NEEDY_PATH});
  CHECK(std::string(error.what()) ==
        "no candidate could be opened: " + std::string(NEEDY_PATH) +
            ": libgone.so.9: cannot open shared object file: No such file or "
            "directory");
}

TEST_CASE("open refuses names that the loader would misread") {
  CHECK_THROWS_AS(Library::open({}), std::invalid_argument);
  CHECK_THROWS_AS(Library::open({ANSWER_PATH, ""}), std::invalid_argument);
  CHECK_THROWS_AS(Library::open({std::string("libc.so.6\0x", 11)}),
                  std::invalid_argument);
}

TEST_CASE("resolve looks up every symbol on its own and in order") {
  const Library library = Library::open({ANSWER_PATH});
  const std::vector<Symbol> table =
      library.resolve({"absent", "answer", "missing"});
  REQUIRE(table.size() == 3);
  CHECK(table[0].name == "absent");
  CHECK(table[0].address == nullptr);
  CHECK(table[0].reason ==
        std::string(ANSWER_PATH) + ": undefined symbol: absent");
  CHECK(table[1].reason.empty());
  CHECK(reinterpret_cast<int (*)()>(table[1].address)() == 42);
  CHECK(table[2].reason ==
        std::string(ANSWER_PATH) + ": undefined symbol: missing");
}

TEST_CASE("resolve refuses an empty name") {
  const Library library = Library::open({ANSWER_PATH});
  CHECK_THROWS_AS((void)library.resolve({"answer", ""}), std::invalid_argument);
}

TEST_CASE("the destructor closes the library") {
  {
    const Library library = Library::open({ANSWER_PATH});
    CHECK(is_resident(ANSWER_PATH));
  }
  CHECK_FALSE(is_resident(ANSWER_PATH));
}

TEST_CASE("a shared handle leaves the library to its first owner") {
  const Library owner = Library::open({ANSWER_PATH});
  {
    const Library guest = Library::open({ANSWER_PATH});
  }
  CHECK(is_resident(ANSWER_PATH));
}

TEST_CASE("moving hands over the library and empties the source") {
  Library source = Library::open({ANSWER_PATH});
  const Library target = std::move(source);
  CHECK(target.resolve({"answer"})[0].address != nullptr);
  // NOLINTNEXTLINE: the state after the move is what is tested.
  CHECK_THROWS_AS((void)source.resolve({"answer"}), std::logic_error);
}

TEST_CASE("move assignment closes what the target held") {
  Library target = Library::open({ANSWER_PATH});
  target = Library::open({OTHER_PATH});
  CHECK(target.path() == OTHER_PATH);
  CHECK_FALSE(is_resident(ANSWER_PATH));
  CHECK(is_resident(OTHER_PATH));
}
