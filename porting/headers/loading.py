"""dlopen and dlsym in a compat header: ROCm's libraries and symbols under CUDA's names."""

from collections.abc import Iterator, Mapping
from typing import Final

from porting.config import Target
from porting.headers.layout import call, function
from porting.headers.uses import Uses
from porting.mapping import Names, Status
from porting.rules.strings.sonames import LIBRARY_NAME, drop_in_file
from porting.rules.strings.symbols import EXPORTS

_OPENS: Final = "dlopen"
_FINDS: Final = "dlsym"


def library_names(uses: Uses, target: Target) -> Mapping[str, str]:
    """Return the file names of CUDA libraries that a tree names -> ROCm's in their place."""
    found: dict[str, str] = {}
    for name in uses.libraries:
        match = LIBRARY_NAME.fullmatch(name)
        if match is not None and match["linux"]:
            other = drop_in_file(match["linux"], match["version"].rstrip("."), target.release)
            if other is not None:
                found[name] = other
    return found


def symbol_names(uses: Uses, names: Names) -> Mapping[str, str]:
    """Return the functions that a tree may look up by name -> the symbols that ROCm exports.

    Those are the names that are strings, and those that are named without being called: a macro
    that takes them may make a string of them.
    """
    wanted = [*uses.symbols, *(use.name for use in uses.names.values() if use.is_value)]
    found: dict[str, str] = {}
    for text in wanted:
        name = names.get(text)
        if name is None or name.kind != "function" or name.target is None:
            continue
        symbol = EXPORTS.get(name.target, name.target)
        if name.status is Status.MAPPED or symbol != text:
            found[text] = symbol
    return dict(sorted(found.items()))


def loading_text(uses: Uses, target: Target, names: Names) -> str:
    """Return the wrappers of the functions that the tree finds libraries and symbols with."""
    libraries = library_names(uses, target) if _OPENS in uses.look_ups else {}
    symbols = symbol_names(uses, names) if uses.look_ups.keys() - {_OPENS} else {}
    return "\n".join(_wrappers(uses, libraries, symbols))


def _wrappers(
    uses: Uses, libraries: Mapping[str, str], symbols: Mapping[str, str]
) -> Iterator[str]:
    if not libraries and not symbols:
        return
    yield "#include <dlfcn.h>\n#include <string.h>\n"
    yield _translation()
    if libraries:
        yield _table("eclosion_library", libraries)
        yield _replaced(_OPENS, "const char* file, int mode", "eclosion_library(file), mode")
    if symbols:
        yield _table("eclosion_symbol", symbols)
        if _FINDS in uses.look_ups:
            yield _replaced(
                _FINDS, "void* library, const char* symbol", "library, eclosion_symbol(symbol)"
            )


def _translation() -> str:
    head = "struct eclosion_name {\n  const char* cuda;\n  const char* rocm;\n};\n\n"
    body = (
        "  for (size_t i = 0; name != NULL && i < count; ++i) {",
        "    if (strcmp(name, names[i].cuda) == 0) return names[i].rocm;",
        "  }",
        "  return name;",
    )
    parameters = ("const char* name", "const struct eclosion_name* names", "size_t count")
    note = "// Names that this tree does not use, and those of other libraries, stay.\n"
    head_line = "static inline const char* eclosion_translate"
    return head + note + function(head_line, parameters, body)


def _table(name: str, pairs: Mapping[str, str]) -> str:
    rows = []
    for cuda, rocm in pairs.items():
        line = f'      {{"{cuda}", "{rocm}"}},'
        rows.append(line if len(line) <= 80 else f'      {{"{cuda}",\n       "{rocm}"}},')  # noqa: PLR2004
    body = (
        "  static const struct eclosion_name names[] = {",
        *rows,
        "  };",
        call("return ", "eclosion_translate", ("name", "names", "sizeof names / sizeof names[0]")),
    )
    return function(f"static inline const char* {name}", ("const char* name",), body)


def _replaced(function_name: str, parameters: str, arguments: str) -> str:
    own = f"eclosion_{function_name}"
    text = function(
        f"static inline void* {own}",
        parameters.split(", "),
        (call("return ", function_name, arguments.split(", ")),),
    )
    return f"{text}#define {function_name} {own}\n"
