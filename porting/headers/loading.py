"""dlopen, dlsym and their kin in a compat header: ROCm's libraries and symbols by CUDA's names."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from porting.config import Target
from porting.headers.entries import Entry, Group
from porting.headers.layout import WIDTH, call, function
from porting.headers.parts import parts_for
from porting.headers.uses import FINDERS, Uses
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


def loading_text(uses: Uses, entries: Sequence[Entry], target: Target, names: Names) -> str:
    """Return the wrappers of the functions that the tree finds libraries and symbols with."""
    libraries = library_names(uses, target) if _OPENS in uses.look_ups else {}
    symbols = symbol_names(uses, names) if uses.look_ups.keys() - {_OPENS} else {}
    own = [entry.text for entry in entries if entry.group is Group.LOOK_UPS]
    return "\n".join([*_wrappers(uses, libraries, symbols, is_asked=bool(own)), *own])


def _wrappers(
    uses: Uses, libraries: Mapping[str, str], symbols: Mapping[str, str], *, is_asked: bool
) -> Iterator[str]:
    if not libraries and not symbols and not is_asked:
        return
    yield "#include <dlfcn.h>\n#include <string.h>\n"
    yield from (part.text for part in parts_for(("eclosion_translate",)))
    if libraries:
        yield _table("eclosion_library", libraries)
        yield _replaced(_OPENS, "const char* file, int mode", "eclosion_library(file), mode")
    if symbols:
        yield _table("eclosion_symbol", symbols)
    elif is_asked:
        yield "#define eclosion_symbol(name) (name)\n"
    if symbols and _FINDS in uses.look_ups:
        finders = [name for name in FINDERS if name in symbols]
        yield from (part.text for part in parts_for(f"eclosion_{name}" for name in finders))
        yield _dlsym(finders)


def _dlsym(finders: Sequence[str]) -> str:
    """Return the wrapper of dlsym, which keeps what finds other functions to itself."""
    parameters = ("void* library", "const char* symbol")
    if not finders:
        return _replaced(_FINDS, ", ".join(parameters), "library, eclosion_symbol(symbol)")
    kept = [
        line
        for name in finders
        for line in (
            f'  if (found != NULL && strcmp(symbol, "{name}") == 0) {{',
            "    eclosion_finder = (eclosion_finder_type*)found;",
            f"    return (void*)eclosion_{name};",
            "  }",
        )
    ]
    body = (
        "  void* found = dlsym(library, eclosion_symbol(symbol));",
        *kept,
        "  return found;",
    )
    return function("static inline void* eclosion_dlsym", parameters, body) + (
        f"#define {_FINDS} eclosion_{_FINDS}\n"
    )


def _table(name: str, pairs: Mapping[str, str]) -> str:
    rows = []
    for cuda, rocm in pairs.items():
        line = f'      {{"{cuda}", "{rocm}"}},'
        rows.append(line if len(line) <= WIDTH else f'      {{"{cuda}",\n       "{rocm}"}},')
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
