"""What runs of words in a Makefile become for ROCm."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from porting.buildfiles.flags import Note, is_of_nvcc, translate
from porting.buildfiles.libraries import library
from porting.buildfiles.make.functions import for_rocm
from porting.buildfiles.make.kernels import BEGIN, END, Kernels, kernels_of, sorted_out
from porting.buildfiles.make.linking import (
    LIBRARY_FOLDER,
    OUTPUT_ONLY,
    PATH_OPTION,
    RUNTIME,
    explicit,
    implicit,
    is_run_path,
    lacks_run_path,
    links_runtime,
    of_pkg_config,
)
from porting.buildfiles.make.model import Makefile
from porting.buildfiles.make.words import Word

_ARCH_FUNCTION = re.compile(r"\$\((?:foreach|addprefix|patsubst|subst|shell|if|call)\b")
_ARCH_WORD = re.compile(r"-gencode|-arch[= ]|--generate-code|--gpu-architecture")
_ARCHITECTURES = re.compile(r"(?:(?:sm_|compute_)?\d{2,3}[af]?[\s,;]*)+")
_VERSION = frozenset(("--version", "-V"))
_VARIABLE = re.compile(r"\$[({]([\w.-]+)[)}]")
_BEFORE_PROGRAM = frozenset(("", "@", "ccache", "sccache", "time", "nice"))
# Options of which the last of a kind holds: of debug information, code generation, optimisation.
_PLAIN_OPTION = re.compile(r"-[gfmO][\w=-]*")
_LINK_DEVICE_CODE = ("-fgpu-rdc", "--hip-link")


@dataclass(frozen=True)
class Change:
    """Words `first` to `end` (exclusive) become `text` in a ROCm build; "" removes them."""

    first: int
    end: int
    text: str
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Rocm:
    """How the ROCm build is spelled: its folder, compiler (by path, by name), architectures.

    `variables`: those that hold ROCm's architectures there, which options can go on using.
    `implied`: options for libraries that come with the runtime.  `headers`: options that give
    sources HIP under CUDA's names; none where they were renamed.
    """

    home: str
    compiler: str
    program: str
    architectures: str
    variables: frozenset[str] = frozenset()
    implied: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()


def changes(
    makefile: Makefile, words: Sequence[Word], rocm: Rocm, *, variable: str = "", target: str = ""
) -> Iterator[Change]:
    """Yield what changes in the words of a variable's value or of a simple command, in order.

    `target`: that of the rule whose command it is.  Without architectures in `rocm` those of the
    words go: the variable has ROCm's already.
    """
    texts = [word.bare for word in words]
    program = _program(makefile, texts)
    runs_nvcc = bool(words) and makefile.is_nvcc(texts[program])
    of_another = not runs_nvcc and _is_program(texts)
    given = not rocm.architectures
    seen: set[str] = set()
    made: list[str] = []
    for piece in translate(texts).pieces:
        old = texts[piece.start : piece.end]
        new, notes = list(piece.flags), piece.notes
        if of_another and not _is_of_cuda(old):
            new, notes = list(old), ()
        elif piece.arch or _is_architectures(old[0]):
            new = [] if given else [_architectures(old, rocm)]
            given = True
        if (called := for_rocm(old[0], rocm.compiler if rocm.headers else "")) is not None:
            new, notes = [called], ()
        elif piece.end == piece.start + 1 and not piece.arch:
            new, notes = _one(makefile, old[0], rocm, new, notes)
            new = _linked(makefile, variable, old[0], rocm, new)
        new = [flag for flag in new if flag not in seen or flag in old]
        seen.update(flag for flag in new if PATH_OPTION.fullmatch(flag))
        if new != old and _is_said(new, made, texts[piece.end :]):
            new = []
        made += new
        if new != old:
            yield Change(piece.start, piece.end, " ".join(new), notes)
    if not variable and words:
        yield from _command(makefile, words, rocm, target, program if runs_nvcc else -1)


def _is_said(new: Sequence[str], before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether the words around say an option: as the last of its kind before, or later on."""
    if len(new) != 1 or not _PLAIN_OPTION.fullmatch(new[0]):
        return False
    same = [word for word in before if word.startswith(new[0][:2])]
    return same[-1:] == list(new) or new[0] in after


def _program(makefile: Makefile, texts: Sequence[str]) -> int:
    """Return which word of a command is its program: words that hide or time it may go before."""
    for number, text in enumerate(texts[:-1]):
        if makefile.is_nvcc(text):
            return number
        name = _VARIABLE.fullmatch(text.lstrip("@-+"))
        known = makefile.values_of(name[1]) if name else (text.lstrip("@-+"),)
        if not {word for value in known for word in value.split()} <= _BEFORE_PROGRAM:
            break
    return 0


def _is_program(texts: Sequence[str]) -> bool:
    """Whether words are a command line of some program, and no list of options."""
    return len(texts) > 1 and bool(re.match(r"[@+-]*[\w./]", texts[0])) and texts[0][0] != "-"


def _is_of_cuda(words: Sequence[str]) -> bool:
    """Whether an option can only be meant for CUDA, whatever program is given it."""
    return words[0].startswith(("-l", "$(")) or is_of_nvcc(words[0])


def _folder_of(makefile: Makefile, variable: str, rocm: Rocm) -> list[str]:
    """Return the folder of the runtime, where a variable links it for a rule of make's own."""
    if not variable or not implicit(makefile, variable):
        return []
    return [f"-L{rocm.home}/lib", f"-Wl,-rpath,{rocm.home}/lib"]


def _one(
    makefile: Makefile, text: str, rocm: Rocm, new: list[str], notes: tuple[Note, ...]
) -> tuple[list[str], tuple[Note, ...]]:
    """Return what one word becomes that is no option of nvcc alone: a path, or a program."""
    if makefile.home_in(text.lstrip("@-+")) and makefile.is_nvcc(text):
        prefix = text[: len(text) - len(text.lstrip("@-+"))]
        return [prefix + rocm.compiler], notes
    if re.fullmatch(r"[@+-]*nvcc", text):
        return [text.replace("nvcc", rocm.program)], notes
    if (answer := of_pkg_config(text, rocm.home)) is not None:
        options, libraries = answer
        if any(option.startswith("-I") for option in options):
            options += rocm.headers
        return options, tuple(Note(text, i.severity, i.reason) for i in libraries if i.reason)
    option = PATH_OPTION.fullmatch(text)
    path = option[2] if option else text
    home = makefile.home_in(path)
    if home is None:
        return new, notes
    below = path[home.end() :]
    if option is None:
        return (new if not below else [_folder(below, rocm)]), notes
    folder = _folder(below, rocm)
    run_path = [] if explicit(makefile) else [f"-Wl,-rpath,{folder}"]
    extra = {"-L": run_path, "-I": ["-D__HIP_PLATFORM_AMD__", *rocm.headers]}
    name = "-Wl,-rpath," if is_run_path(option[1]) else option[1]
    return [f"{name}{folder}", *extra.get(option[1], [])], notes


def _linked(makefile: Makefile, variable: str, text: str, rocm: Rocm, new: list[str]) -> list[str]:
    """Return what a word becomes when it links the runtime, or names a library for `-l$(...)`."""
    if RUNTIME.match(text):
        return [*_folder_of(makefile, variable, rocm), *new, *rocm.implied]
    named = rf"-l\$[({{]{re.escape(variable)}[)}}]"
    if not variable or not re.search(named, makefile.all_text):
        return new
    found = library(text)
    return list(found.link[:1]) if found is not None and found.link else new


def _folder(below: str, rocm: Rocm) -> str:
    return f"{rocm.home}/lib" if LIBRARY_FOLDER.fullmatch(below) else f"{rocm.home}{below}"


def architecture_variables(makefile: Makefile) -> frozenset[str]:
    """Return the variables that hold nothing but CUDA's architectures."""
    return frozenset(
        name
        for name, values in makefile.values.items()
        if any(value.strip() for value in values)
        and all(_ARCHITECTURES.fullmatch(value.strip()) for value in values if value.strip())
        and _is_for_architectures(makefile, name)
    )


def _is_for_architectures(makefile: Makefile, name: str) -> bool:
    """Whether a variable is used in an option for architectures."""
    reference = re.compile(rf"\$[({{]{re.escape(name)}[)}}]")
    text = makefile.source.text
    return any(
        reference.search(text[match.start() : match.start() + 200].split("\n")[0])
        for match in _ARCH_WORD.finditer(text)
    ) or any(
        reference.search(value) and _ARCH_WORD.search(value)
        for values in makefile.values.values()
        for value in values
    )


def _architectures(words: Sequence[str], rocm: Rocm) -> str:
    """Return the options for architectures: by the variable that the words took them from."""
    names = re.findall(r"\$[({](\w+)[)}]", " ".join(words))
    known = [name for name in names if name in rocm.variables]
    if known:
        return f"$(addprefix --offload-arch=,$({known[0]}))"
    return rocm.architectures


def _is_architectures(text: str) -> bool:
    """Whether a word is a function of make that writes options for architectures."""
    return bool(_ARCH_FUNCTION.match(text) and _ARCH_WORD.search(text))


def _command(
    makefile: Makefile, words: Sequence[Word], rocm: Rocm, target: str, program: int
) -> Iterator[Change]:
    """Yield what a command needs besides: language, architectures, the runtime and its folder."""
    texts = [word.bare for word in words]
    line = " ".join(texts)
    runs_nvcc = program >= 0
    if runs_nvcc and _VERSION.intersection(texts):
        return
    if runs_nvcc:
        for change in _compilation(makefile, texts[program:], rocm, target):
            yield replace(change, first=change.first + program, end=change.end + program)
    if not links_runtime(makefile, line, runs_nvcc=runs_nvcc):
        return
    folder = f"{rocm.home}/lib"
    flags = [f"-L{folder}", f"-Wl,-rpath,{folder}"] if lacks_run_path(makefile, line) else []
    if not makefile.mentions(line, RUNTIME) and not _asks_pkg_config(makefile, line):
        flags += ["-lamdhip64", *rocm.implied]
    if runs_nvcc and makefile.links_device_code:
        flags += [flag for flag in _LINK_DEVICE_CODE if flag not in texts]
    if flags:
        yield Change(len(words), len(words), " ".join(flags))


def _asks_pkg_config(makefile: Makefile, line: str) -> bool:
    return makefile.mentions(line, re.compile(r"pkg-config\b.*--libs.*\bcuda"))


def _compilation(
    makefile: Makefile, texts: Sequence[str], rocm: Rocm, target: str
) -> Iterator[Change]:
    """Yield the language and the architectures of a command of nvcc that names none."""
    line = " ".join(texts)
    expanded = " ".join(makefile.expansions(line)).split()
    named = "-x" in expanded
    compiles = not OUTPUT_ONLY.isdisjoint(expanded)
    first = [BEGIN] if compiles and not named else []
    if not makefile.mentions(line, _ARCH_WORD, certain=True):
        first.append(rocm.architectures)
    if first:
        yield Change(1, 1, " ".join(first))
    if compiles or named:
        return
    for number, text in enumerate(texts):
        found = kernels_of(makefile, text, target) if number else Kernels.NONE
        if found is Kernels.ALL:
            yield Change(number, number, BEGIN)
            yield Change(number + 1, number + 1, END)
        elif found is Kernels.SOME:
            yield Change(number, number + 1, sorted_out(text))
