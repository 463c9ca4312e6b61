"""Whether a command of a Makefile links the runtime, and whether its loader finds it."""

import re
from collections.abc import Iterator

from porting.buildfiles.libraries import Linked, library
from porting.buildfiles.make.model import Makefile

OUTPUT_ONLY = frozenset(
    ("-c", "-dc", "-E", "-M", "-MM", "-S", "-ptx", "--ptx", "-cubin", "--cubin", "-fatbin", "-lib")
)
RUNTIME = re.compile(r"-lcudart\b|-lcudart_static\b|-lamdhip64\b")
LIBRARY_FOLDER = re.compile(r"/lib(?:64)?(?:/stubs)?/?|/targets/[^/]+/lib(?:/stubs)?/?")
PATH_OPTION = re.compile(r"(-L|-I|-isystem=?|-Wl,-rpath[,=]|-Wl,--rpath[,=]|-Wl,-R,?)(.+)")
_TALK = re.compile(r"[@+-]*(?:echo|printf|:|true|test|\[)")
_PKG_CONFIG = re.compile(
    r"\$[({]shell\s+(?:[\w/.-]*pkg-config|\$[({]PKG_?CONFIG[)}])\s+"
    r"((?:[^(){}$]|\$[({][\w.-]+[)}])*)[)}]"
)
_PACKAGE = re.compile(r"([A-Za-z]\w*?)(?:-(?:[\d.]+|\$[({][\w.-]+[)}]))?")


def is_run_path(option: str) -> bool:
    """Whether what goes before a folder makes it one of the loader's."""
    return "rpath" in option or "-R" in option


def says_run_path(makefile: Makefile, text: str) -> bool:
    """Whether words, or what their variables are set to, give the loader CUDA's libraries."""
    return any(is_run_path(option) for option in _library_options(makefile, text))


def lacks_run_path(makefile: Makefile, text: str) -> bool:
    """Whether a link of the runtime by these words has no folder that gets a run path."""
    if any(_packages(part) for part in makefile.expansions(text)):
        return False
    options = list(_library_options(makefile, text))
    if explicit(makefile):
        options = [option for option in options if is_run_path(option)]
    return not options


def explicit(makefile: Makefile) -> bool:
    """Whether a Makefile names CUDA's folder of libraries for the loader too."""
    return says_run_path(makefile, makefile.source.text)


def _library_options(makefile: Makefile, text: str) -> Iterator[str]:
    for part in makefile.expansions(text):
        for word in part.split():
            option = PATH_OPTION.fullmatch(word.strip("\"'"))
            home = makefile.home_in(option[2]) if option else None
            if option and home and LIBRARY_FOLDER.fullmatch(option[2][home.end() :]):
                yield option[1]


def links_runtime(makefile: Makefile, line: str, *, runs_nvcc: bool) -> bool:
    """Whether a command links the runtime of CUDA, which nvcc does by itself."""
    words = " ".join(makefile.expansions(line)).split()
    if not OUTPUT_ONLY.isdisjoint(words) or _TALK.match(line):
        return False
    return runs_nvcc or makefile.mentions(line, RUNTIME)


def implicit(makefile: Makefile, name: str) -> bool:
    """Whether a variable only serves rules of make's own, with no folder that gets a run path."""
    if name in makefile.reached:
        return False
    return all(
        lacks_run_path(makefile, value) for values in makefile.values.values() for value in values
    )


def of_pkg_config(word: str, home: str) -> tuple[list[str], list[Linked]] | None:
    """Return the options for a question to pkg-config for packages of CUDA's, which ROCm has not.

    Besides, the libraries that they are.  None where the word asks for no such package.
    """
    found = _packages(word)
    match = _PKG_CONFIG.fullmatch(word)
    if not found or match is None:
        return None
    asked = match[1].split()
    options: list[str] = []
    if any(option.startswith("--cflags") for option in asked):
        options += [f"-I{home}/include", "-D__HIP_PLATFORM_AMD__"]
    if any(option.startswith("--libs") for option in asked):
        options += [f"-L{home}/lib", f"-Wl,-rpath,{home}/lib"]
        names = dict.fromkeys(name for item in found.values() for name in item.link)
        options += [f"-l{name}" for name in ("amdhip64", *(n for n in names if n != "amdhip64"))]
    rest = [other for other in asked if other not in found]
    if any(not other.startswith("-") for other in rest):
        options.insert(0, word.replace(match[1], " ".join(rest)))
    return options, list(found.values())


def _packages(text: str) -> dict[str, Linked]:
    """Return the packages of CUDA's that a text asks pkg-config for, as they are written there."""
    found: dict[str, Linked] = {}
    for match in _PKG_CONFIG.finditer(text):
        for word in match[1].split():
            name = _PACKAGE.fullmatch(word)
            item = library(name[1]) if name and not word.startswith("-") else None
            if item is not None:
                found[word] = item
    return found
