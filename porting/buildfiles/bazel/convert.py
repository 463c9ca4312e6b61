"""Tell where a Bazel build names CUDA: ROCm has other rules, so nothing is written."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from porting.buildfiles.codes import ALREADY_PORTED, LEFT_ALONE
from porting.buildfiles.model import BuildContext, Converted
from porting.diagnostics import Diagnostic
from porting.hipify import Hipified
from porting.source import SourceFile

_NAMES = frozenset(("BUILD", "BUILD.bazel", "WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel"))
_TOKEN = re.compile(
    r'#[^\n]*|(?P<text>"{3}(?:.*?)"{3}|\'{3}(?:.*?)\'{3}'
    # A string that is never closed ends with its line.
    r'|"(?:[^"\\\n]|\\.)*"?|\'(?:[^\'\\\n]|\\.)*\'?)'
    r"|(?P<word>[A-Za-z_]\w*)",
    re.DOTALL,
)
_RULE = re.compile(r"cuda_(?:library|binary|test|objects|import|toolkit\w*|register\w*|extension)")
_LABEL = re.compile(r"rules_cuda|@(?:local_)?cuda\b|@local_config_cuda|@cuda//")
_FLAG = re.compile(r"-Xcompiler|--?use_fast_math|-gencode|--expt-|-lcud|-lcublas|nvcc")
_ROCM = re.compile(r"rules_rocm|@local_config_rocm|\brocm_library\b|if_rocm|is_rocm|using_rocm")
_HELP = (
    "build this target with the rules of ROCm (hipcc as its compiler, -lamdhip64 and an rpath to"
    " ROCm's lib), or call the CMake build of the port from Bazel"
)


class BazelFiles:
    """BUILD, WORKSPACE, MODULE.bazel and .bzl files, and .bazelrc."""

    def handles(self, path: str) -> bool:
        """Whether a file is one of Bazel's, by its name."""
        name = PurePosixPath(path).name
        return name in _NAMES or name == ".bazelrc" or name.endswith(".bzl")

    def convert(self, files: Sequence[SourceFile], context: BuildContext) -> Converted:  # noqa: ARG002
        """Return each file as it is, with an error at every place that needs CUDA."""
        return Converted(tuple(_looked_at(source) for source in files))


def _looked_at(source: SourceFile) -> Hipified:
    if source.is_binary:
        return Hipified(source, source.data)
    places = list(_places(source))
    if places and any(_ROCM.search(text) for _, text in _words(source)):
        text = f"{source.path} has rules for ROCm; it stays as it is"
        return Hipified(source, source.data, diagnostics=(ALREADY_PORTED.at(source.path, text),))
    return Hipified(source, source.data, diagnostics=tuple(places))


def _words(source: SourceFile) -> Iterator[tuple[int, str]]:
    """Yield the names and strings of a file with their offsets."""
    if source.path.endswith(".bazelrc"):
        for match in re.finditer(r"(?m)^(?!\s*#).*$", source.text):
            yield from (
                (match.start() + m.start(), f'"{m[0]}"') for m in re.finditer(r"\S+", match[0])
            )
        return
    for match in _TOKEN.finditer(source.text):
        if match["text"] or match["word"]:
            yield match.start(), match[0]


def _places(source: SourceFile) -> Iterator[Diagnostic]:
    """Yield an error for each line that needs CUDA, the first word on it being named."""
    told: set[int] = set()
    for offset, text in _words(source):
        is_text = text[0] in "\"'"
        pattern = (_LABEL, _FLAG) if is_text else (_RULE,)
        if not any(p.search(text) if is_text else p.fullmatch(text) for p in pattern):
            continue
        line, column = source.position(offset)
        if line not in told:
            told.add(line)
            message = f"{text} is for CUDA; Bazel files are not converted and this one is unchanged"
            yield LEFT_ALONE.at(source.path, message, _HELP, line=line, column=column, symbol=text)
