"""What runs of words in a Makefile become for ROCm."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from porting.buildfiles.flags import Note, translate
from porting.buildfiles.make.model import Makefile
from porting.buildfiles.make.words import Word

_OUTPUT_ONLY = frozenset(
    ("-c", "-dc", "-E", "-M", "-MM", "-S", "-ptx", "--ptx", "-cubin", "--cubin", "-fatbin", "-lib")
)
_RUNTIME = re.compile(r"-lcudart\b|-lcudart_static\b|-lamdhip64\b")
_ARCH_FUNCTION = re.compile(r"\$\((?:foreach|addprefix|patsubst|subst|shell|if|call)\b")
_ARCH_WORD = re.compile(r"-gencode|-arch[= ]|--generate-code|--gpu-architecture")
_LIBRARY_FOLDER = re.compile(r"/lib(?:64)?(?:/stubs)?/?|/targets/[^/]+/lib(?:/stubs)?/?")
_PATH_OPTION = re.compile(r"(-L|-I|-isystem=?|-Wl,-rpath[,=]|-Wl,--rpath[,=]|-Wl,-R,?)(.+)")
_ARCHITECTURES = re.compile(r"(?:(?:sm_|compute_)?\d{2,3}[af]?[\s,;]*)+")
_VERSION = frozenset(("--version", "-V"))


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
    `implied`: options for libraries that come with the runtime.
    """

    home: str
    compiler: str
    program: str
    architectures: str
    variables: frozenset[str] = frozenset()
    implied: tuple[str, ...] = ()


def changes(
    makefile: Makefile, words: Sequence[Word], rocm: Rocm, *, is_command: bool
) -> Iterator[Change]:
    """Yield what changes in the words of one value or simple command, in order."""
    texts = [word.bare for word in words]
    runs_nvcc = bool(words) and makefile.is_nvcc(texts[0])
    given = False
    translated = translate(texts)
    for piece in translated.pieces:
        new, notes = list(piece.flags), piece.notes
        if piece.arch or _is_architectures(texts[piece.start]):
            new = [] if given else [_architectures(texts[piece.start : piece.end], rocm)]
            given = True
        elif piece.end == piece.start + 1:
            new = _one(makefile, texts[piece.start], rocm, new)
            if _RUNTIME.match(texts[piece.start]):
                new += rocm.implied
        if new != [word.bare for word in words[piece.start : piece.end]]:
            yield Change(piece.start, piece.end, " ".join(new), notes)
    if runs_nvcc and is_command:
        yield from _command(makefile, words, rocm)


def _one(makefile: Makefile, text: str, rocm: Rocm, new: list[str]) -> list[str]:
    """Return what one word becomes that is no option of nvcc alone: a path, or the compiler."""
    if makefile.home_in(text.lstrip("@-+")) and makefile.is_nvcc(text):
        prefix = text[: len(text) - len(text.lstrip("@-+"))]
        return [prefix + rocm.compiler]
    if re.fullmatch(r"[@+-]*nvcc", text):
        return [text.replace("nvcc", rocm.program)]
    option = _PATH_OPTION.fullmatch(text)
    path = option[2] if option else text
    home = makefile.home_in(path)
    if home is None:
        return new
    below = path[home.end() :]
    if option is None:
        return new if not below else [_folder(below, rocm)]
    folder = _folder(below, rocm)
    extra = {"-L": [f"-Wl,-rpath,{folder}"], "-I": ["-D__HIP_PLATFORM_AMD__"]}
    return [f"{option[1]}{folder}", *extra.get(option[1], [])]


def _folder(below: str, rocm: Rocm) -> str:
    return f"{rocm.home}/lib" if _LIBRARY_FOLDER.fullmatch(below) else f"{rocm.home}{below}"


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


def _command(makefile: Makefile, words: Sequence[Word], rocm: Rocm) -> Iterator[Change]:
    """Yield what a command of nvcc needs besides: the language, and the runtime it links."""
    texts = [word.bare for word in words]
    line = " ".join(texts)
    if _VERSION.intersection(texts):
        return
    expanded = " ".join(makefile.expansions(line)).split()
    compiles = not _OUTPUT_ONLY.isdisjoint(expanded)
    if "-x" not in expanded:
        if compiles:
            yield Change(1, 1, "-x hip")
        else:
            for number, text in enumerate(texts):
                if text.endswith(".cu") and not text.startswith("-"):
                    yield Change(number, number, "-x hip")
                    yield Change(number + 1, number + 1, "-x none")
    if not compiles and not makefile.mentions(line, _RUNTIME):
        folder = f"{rocm.home}/lib"
        flags = (f"-L{folder}", f"-Wl,-rpath,{folder}", "-lamdhip64", *rocm.implied)
        yield Change(len(words), len(words), " ".join(flags))
