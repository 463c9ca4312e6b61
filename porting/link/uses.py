"""Which libraries of CUDA a tree uses: by headers, functions and names of files to open."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from porting.config import DEFAULT_ROCM
from porting.errors import InputError, reason
from porting.generated import generated_patterns
from porting.link.libraries import How, libraries
from porting.mapping import Name, Names
from porting.patterns import PathPatterns
from porting.rules.strings.sonames import LIBRARY_NAME
from porting.source import SourceFile
from porting.syntax import IDENT, STRING, header_names, tokenize
from porting.tree import Kind, Tree, read_tree

# Other languages call the same functions and open the same files.
_OTHERS: Final = frozenset((".rs", ".py", ".pyi", ".pyx", ".pxd"))
_WORD: Final = re.compile(r"(?<![\w.])(?:cu|nccl|nv|__)[A-Za-z]\w{3,}")
_IBVERBS: Final = re.compile(r"infiniband/verbs\.h|libibverbs\.so")
# A header of these tells nothing: it is included for types, and functions tell of the library.
_NEED_A_CALL: Final = frozenset(("driver",))


@dataclass(frozen=True, slots=True)
class Use:
    """The first sign of a library in a tree: the file, and the name or header in it."""

    file: str
    name: str


@dataclass
class Uses:
    """What was found.  `linked`: used as a linked library is; `opened`: its file name is there."""

    linked: dict[str, Use] = field(default_factory=dict)
    opened: dict[str, Use] = field(default_factory=dict)

    def ways(self) -> Mapping[str, How | None]:
        """Return how each library is reached, for `link_plan`; None: as planned."""
        return {name: self._way(name) for name in libraries() if name in self._found}

    def first(self, name: str) -> Use | None:
        """Return the first sign of a library, None when there is none."""
        return self.linked.get(name) or self.opened.get(name)

    @property
    def _found(self) -> set[str]:
        return self.linked.keys() | self.opened.keys()

    def _way(self, name: str) -> How | None:
        """Tell opened from linked; the runtime is linked all the same, as kernels need it."""
        if name in self.opened and (name != "cudart" or name not in self.linked):
            return How.DLOPEN
        cuda = libraries()[name].cuda
        return How.SHARED if cuda and cuda.how is How.DLOPEN else None


def tree_uses(source: Path) -> Uses:
    """Return the libraries that a tree or a file uses.  Raises InputError.

    Generated files are left out: they name what the sources name.
    """
    tree = read_tree(source, PathPatterns(generated_patterns(source)))
    uses = Uses()
    names = Names.load(DEFAULT_ROCM)  # which library a name is of is the same in every release
    for file in tree.sources:
        if not file.is_binary:
            _read_source(uses, file, names)
    for path, text in _other_texts(tree):
        _read_text(uses, path, text, names)
    return uses


def _read_source(uses: Uses, file: SourceFile, names: Names) -> None:
    lexed = tokenize(file.text)
    if file.is_cuda:
        _add(uses.linked, "runtime", Use(file.path, "a CUDA source"))
    for header in header_names(file.text, lexed):
        found = names.header(header.path)
        if found and found.library not in _NEED_A_CALL:
            _add(uses.linked, found.library, Use(file.path, f"<{header.path}>"))
    words = dict.fromkeys(token.text for token in lexed.tokens if token.kind == IDENT)
    _read_words(uses, file.path, words, names)
    for token in lexed.tokens:
        if token.kind == STRING:
            _read_strings(uses, file.path, token.text)
    if _IBVERBS.search(file.text):
        is_opened = "libibverbs.so" in file.text
        (uses.opened if is_opened else uses.linked).setdefault(
            "ibverbs", Use(file.path, "libibverbs.so" if is_opened else "<infiniband/verbs.h>")
        )


def _read_words(uses: Uses, path: str, words: Iterable[str], names: Names) -> None:
    for word in words:
        found = names.get(word)
        if found and _needs_library(found):
            _add(uses.linked, found.library, Use(path, word))


def _needs_library(name: Name) -> bool:
    return name.kind in ("function", "intrinsic")


def _read_strings(uses: Uses, path: str, text: str) -> None:
    for match in LIBRARY_NAME.finditer(text):
        name = match["linux"]
        if name:
            for library in libraries().values():
                if library.cuda and library.cuda.name == name:
                    uses.opened.setdefault(library.id, Use(path, match[0]))


def _read_text(uses: Uses, path: str, text: str, names: Names) -> None:
    _read_words(uses, path, dict.fromkeys(_WORD.findall(text)), names)
    _read_strings(uses, path, text)


def _other_texts(tree: Tree) -> Iterator[tuple[str, str]]:
    for entry in tree.entries:
        if entry.kind is Kind.FILE and Path(entry.path).suffix in _OTHERS:
            place = tree.root / entry.path
            try:
                yield entry.path, place.read_bytes().decode("latin-1")
            except OSError as error:
                raise InputError(f"{place} cannot be read: {reason(error)}") from error


def _add(found: dict[str, Use], table: str, use: Use) -> None:
    for library in libraries().values():
        if table in library.tables:
            found.setdefault(library.id, use)
