"""Options of nvcc as options of clang for HIP: one table, one pure function."""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from porting.buildfiles.libraries import link_names
from porting.diagnostics import Severity

_GCC_SECTION = "# gcc's, which clang does not take"
# What any compiler driver on Linux takes and nvcc only passes on.
_OF_HOSTS = re.compile(
    r"-[fWmgBd]|-O|-(pthread|pedantic|pipe|ansi|s|static|rdynamic|no|iquote|isysroot|idirafter"
    r"|iwithprefix|Xclang|Xarch|Xlinker|mllvm|target|print|rpath|z|T|u|P|S|C|H|e)"
    r"|--(offload|hip|rocm|sysroot|gcc|target|param|coverage|no-|std|cuda-)"
)
_CL_OPTION = re.compile(r"/[A-Za-z]\w*(:.*)?")
# Long names that other programs have too; seeing one does not show that nvcc is meant.
_OF_ANY_PROGRAM = frozenset(
    """--help --version --verbose --debug --profile --compile --link --lib --run --shared --std --x
    --time --keep --threads --library --machine --entries --restrict --optimize --preprocess --cuda
    --clean-targets --output-file --ptx --lto --code --jobserver --dryrun --sanitize
    --save-temps""".split()
)
_UNMISTAKABLE_SHORT = frozenset(("-rdc", "-dlto", "-ccbin", "-ftz", "-fmad", "-cubin", "-fatbin"))
_SHORTEST_UNMISTAKABLE = 5


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of flags.tsv."""

    names: tuple[str, ...]
    value: str
    when: re.Pattern[str] | None
    action: str
    to: tuple[str, ...]
    link: tuple[str, ...]
    severity: Severity | None
    reason: str


@dataclass(frozen=True, slots=True)
class Note:
    """What is to be said of an option; `flag` is its text in the input."""

    flag: str
    severity: Severity
    text: str


@dataclass(frozen=True, slots=True)
class Piece:
    """What the words `start` to `end` (exclusive) of the input become.

    `link`: options that linking needs besides.  `arch`: it names architectures, which writers
    replace by those of the target.
    """

    start: int
    end: int
    flags: tuple[str, ...]
    notes: tuple[Note, ...] = ()
    link: tuple[str, ...] = ()
    arch: bool = False


@dataclass(frozen=True)
class Translated:
    """Options for clang, piece by piece in the order of the input, which they cover whole."""

    words: tuple[str, ...]
    pieces: tuple[Piece, ...]

    @property
    def flags(self) -> tuple[str, ...]:
        """All the new options in order."""
        return tuple(flag for piece in self.pieces for flag in piece.flags)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What is to be said, in order."""
        return tuple(note for piece in self.pieces for note in piece.notes)

    @property
    def link(self) -> tuple[str, ...]:
        """Options that linking needs besides, each once."""
        return tuple(dict.fromkeys(flag for piece in self.pieces for flag in piece.link))

    @property
    def changed(self) -> bool:
        """Whether clang needs other words than nvcc."""
        return self.flags != self.words


def translate(flags: Sequence[str]) -> Translated:
    """Return options of nvcc, one word each as a program gets them, as options of clang.

    Words that are no options (files, variables of a build system) stay.  Architectures are left
    out: give clang the target's with `offload_arch`.
    """
    words = tuple(flags)
    pieces: list[Piece] = []
    while (at := pieces[-1].end if pieces else 0) < len(words):
        pieces.append(_piece(words, at))
    return Translated(words, tuple(pieces))


def offload_arch(archs: Sequence[str]) -> tuple[str, ...]:
    """Return the options that choose the GPU architectures."""
    return tuple(f"--offload-arch={arch}" for arch in archs)


def is_of_nvcc(word: str) -> bool:
    """Whether a word is an option that only nvcc has: one of clang's or gcc's is not."""
    name, _, value = word.partition("=")
    found = _table().get(name)
    if not found or name in _OF_ANY_PROGRAM or any(rule.action == "keep" for rule in found):
        return False
    if found[0].action == "arch" and value.startswith(("sm_", "compute_")):
        return True
    if name.startswith("--"):
        return True
    return name in _UNMISTAKABLE_SHORT or len(name) > _SHORTEST_UNMISTAKABLE


@cache
def rules() -> tuple[Rule, ...]:
    """Return the rows of the table that are nvcc's options."""
    return tuple(_read()[0])


@cache
def _table() -> dict[str, tuple[Rule, ...]]:
    return _by_name(_read()[0])


@cache
def _host_table() -> dict[str, tuple[Rule, ...]]:
    return _by_name(_read()[1])


def _read() -> tuple[list[Rule], list[Rule]]:
    text = resources.files("porting.buildfiles").joinpath("flags.tsv").read_text("utf-8")
    of_nvcc, of_gcc = text.split(_GCC_SECTION)
    return list(_rows(of_nvcc)), list(_rows(of_gcc))


def _rows(text: str) -> Iterator[Rule]:
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        names, value, when, action, to, link, severity, reason = line.split("\t")
        yield Rule(
            tuple(names.split()),
            value,
            re.compile(when) if when else None,
            action,
            tuple(to.split()),
            tuple(link.split()),
            Severity(severity) if severity else None,
            reason,
        )


def _by_name(rows: Sequence[Rule]) -> dict[str, tuple[Rule, ...]]:
    found: dict[str, tuple[Rule, ...]] = {}
    for rule in rows:
        for name in rule.names:
            found[name] = (*found.get(name, ()), rule)
    return found


@dataclass(frozen=True, slots=True)
class _Option:
    """An option as it stands in the input: its rules, its value, and how many words it takes."""

    rules: tuple[Rule, ...]
    value: str
    words: tuple[str, ...]

    @property
    def shown(self) -> str:
        return " ".join(self.words)


def _piece(words: Sequence[str], at: int) -> Piece:
    option = _option(words, at, _table())
    if option is None:
        return _unknown(words[at], at)
    end = at + len(option.words)
    if option.rules[0].action == "arch":
        note = Note(option.shown, Severity.NOTE, option.rules[0].reason)
        return Piece(at, end, (), (note,), arch=True)
    if option.rules[0].action == "unwrap":
        flags, notes = _unwrapped(option)
        return Piece(at, end, flags, notes)
    if option.rules[0].names[-1] == "-l":
        return Piece(at, end, *_library(option))
    return Piece(at, end, *_applied(option))


def _option(words: Sequence[str], at: int, table: dict[str, tuple[Rule, ...]]) -> _Option | None:
    """Return the option that begins at a word, None when the table has none."""
    word = words[at]
    if not word.startswith("-"):
        return None
    name, equals, value = word.partition("=")
    found = table.get(name)
    if found is None:
        return _joined(word, table)
    kind = found[0].value
    if equals:
        return None if kind == "none" else _Option(found, value, (word,))
    following = words[at + 1] if at + 1 < len(words) else None
    if kind == "none" or following is None or not _takes(found, following):
        return _Option(found, "", (word,))
    return _Option(found, following, (word, following))


def _takes(found: Sequence[Rule], following: str) -> bool:
    """Whether a word is the value of the option before it."""
    match found[0].value:
        case "bool":
            return following in ("true", "false")
        case "optional":
            return any(rule.when and rule.when.fullmatch(following) for rule in found)
        case _:
            return True


def _joined(word: str, table: dict[str, tuple[Rule, ...]]) -> _Option | None:
    """Return an option of one letter with its value in the same word."""
    found = table.get(word[:2])
    if found is None or found[0].value not in ("joined", "glued"):
        return None
    if found[0].names[-1] == "-t" and not word[2:].isdigit():
        return None
    return _Option(found, word[2:].removeprefix("="), (word,))


def _applied(option: _Option) -> tuple[tuple[str, ...], tuple[Note, ...], tuple[str, ...]]:
    """Return the options of clang, what is to be said, and the options for linking."""
    flags: list[str] = []
    notes: dict[str, Note] = {}
    link: list[str] = []
    is_list = option.rules[0].value in ("list", "optional") and option.value
    for value in _elements(option.value) if is_list else (option.value,):
        rule, match = _rule_for(option.rules, value)
        flags += _filled(rule, value, match)
        link += rule.link
        if rule.severity is not None:
            notes[rule.reason] = Note(option.shown, rule.severity, rule.reason)
    if option.rules[0].value == "joined" and "".join(flags) == "".join(option.words):
        flags = list(option.words)  # with a space between: clang takes both forms
    return tuple(flags), tuple(notes.values()), tuple(link)


def _rule_for(found: Sequence[Rule], value: str) -> tuple[Rule, re.Match[str] | None]:
    for rule in found:
        if rule.when is None:
            return rule, None
        if match := rule.when.fullmatch(value):
            return rule, match
    raise ValueError(f"{found[0].names[0]} has no row for any other value than those it lists")


def _filled(rule: Rule, value: str, match: re.Match[str] | None) -> Iterator[str]:
    for template in rule.to:
        if template == "{}" and not value:
            continue  # the value is in words that the caller does not see
        text = template.replace("{1}", (match[1] or "") if match and match.re.groups else "")
        yield text.replace("{}", value) if value else text.removesuffix("={}").replace("{}", "")


def _elements(value: str) -> list[str]:
    """Split the value of an option that takes several: by commas, and by spaces in quotes."""
    bare = value.replace('\\"', '"')
    try:
        words = shlex.split(bare)
    except ValueError:
        words = bare.split()
    parts = (part for word in words for part in re.split(r"(?<!\\),", word))
    return [part.replace("\\,", ",") for part in parts if part]


def _unwrapped(option: _Option) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    """Return the host compiler's options out of -Xcompiler."""
    flags: list[str] = []
    notes: list[Note] = []
    host = _elements(option.value)
    at = 0
    while at < len(host):
        found = _option(host, at, _host_table())
        if found is not None:
            new, said, _ = _applied(found)
            flags += new
            notes += said
            at += len(found.words)
            continue
        if _CL_OPTION.fullmatch(host[at]):
            text = "an option of Windows' compiler"
            notes.append(Note(host[at], Severity.NOTE, text))
        else:
            flags.append(host[at])
        at += 1
    return tuple(flags), tuple(notes)


def _library(option: _Option) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    """Return -l of a CUDA library as -l of ROCm's."""
    names, reason = link_names(option.value)
    if names == (option.value,):
        return option.words, ()
    note = Note(option.shown, Severity.NOTE, reason)
    return tuple(f"-l{name}" for name in names), (note,) if reason else ()


def _unknown(word: str, at: int) -> Piece:
    """Return a word that nvcc does not know: an option of the host compiler, or no option."""
    if not re.match(r"-\S", word) or _OF_HOSTS.match(word):
        return Piece(at, at + 1, (word,))
    text = "no option of nvcc 13; it is passed on as it is: check that clang takes it"
    return Piece(at, at + 1, (word,), (Note(word, Severity.WARNING, text),))
