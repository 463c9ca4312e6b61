"""What is said of the parts of a tree that are copied and not ported, and of its names."""

import os
import posixpath
import re
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

from porting.diagnostics import Code, Diagnostic, Severity
from porting.generated import FOLDER
from porting.source import SourceFile
from porting.tree import Entry, Kind, Tree

BUILD_FILE = Code(
    "BLD001",
    "build-system",
    Severity.NOTE,
    "a build file that names CUDA and is not ported",
    "Build files of this kind are copied as they are.  The file still asks for nvcc, CUDA libraries"
    " or CUDA architectures: have HIP's sources compiled by clang -x hip with the target's"
    " architectures, and link libamdhip64.",
)
FOREIGN_CODE = Code(
    "BLD002",
    "foreign-language",
    Severity.NOTE,
    "a file that names CUDA, is no C, C++ or CUDA source and stays as it is",
    "Nothing in the file was renamed.  For Rust that is as it should be: a crate's build script is"
    f" ported, and the generated {FOLDER}/rocm_compat.rs gives HIP under the CUDA names that the"
    " crate uses.  Build scripts in Python are ported too, and what other Python and shell scripts"
    " ask of NVIDIA's software is told at its line.  From any other file, such as a template or a"
    " module with CUDA source in its texts, port by hand what is compiled or loaded.",
)
BINARY = Code(
    "TRE001",
    "unreadable-source",
    Severity.ERROR,
    "a source file that is no text",
    "The file's name says C, C++ or CUDA and its bytes hold NULs, so it is UTF-16 text or no text"
    " at all.  It stays as it is.  Save it as UTF-8, or exclude it in [tool.porting].",
)
OUTSIDE_LINK = Code(
    "TRE002",
    "symbolic-link",
    Severity.NOTE,
    "a symbolic link that leads out of the tree",
    "The link is kept as it is and what it points to is not ported.  A relative link leads to"
    " another place when the output is elsewhere.  Port the other tree too, or copy the file in.",
)
LINK_LOOP = Code(
    "TRE003",
    "symbolic-link",
    Severity.WARNING,
    "a symbolic link that leads to itself or to a folder above it",
    "Links are kept and never followed, so the port ends; whatever walks the output and follows"
    " links may not.  Remove the link from the input if nothing needs it.",
)
CASE_CLASH = Code(
    "TRE004",
    "file-name",
    Severity.WARNING,
    "two names that differ only in case",
    "On a file system that ignores case (macOS and Windows by default) one of the two files"
    " overwrites the other.  Both were written here.  Rename one.",
)
SPECIAL = Code(
    "TRE005",
    "file-kind",
    Severity.WARNING,
    "a device, socket or pipe in the tree",
    "Only files, folders and symbolic links are written to the output; this entry was left out.",
)
BUILD_FOLDER = Code(
    "TRE006",
    "build-folder",
    Severity.NOTE,
    "a folder that CMake has built in",
    "The folder has a CMakeCache.txt: what lies in it was made of the tree and is no part of it."
    "  It was left out, since CMake builds in no folder that was copied from elsewhere.  Build the"
    " port in a new folder.",
)
CODES = (
    *(BUILD_FILE, FOREIGN_CODE, BINARY, OUTSIDE_LINK, LINK_LOOP, CASE_CLASH, SPECIAL),
    BUILD_FOLDER,
)

_BUILD_NAMES = frozenset(
    (
        *("CMakeLists.txt", "Makefile", "makefile", "GNUmakefile", "Makefile.am", "Makefile.in"),
        *("setup.py", "setup.cfg", "pyproject.toml", "Cargo.toml", "build.rs", "configure.ac"),
        *("meson.build", "meson_options.txt", "meson.options"),
        *("BUILD", "BUILD.bazel", "WORKSPACE", "MODULE.bazel"),
    )
)
_BUILD_SUFFIXES = frozenset((".cmake", ".mk", ".bzl", ".pro", ".gyp", ".gn", ".ninja"))
# Prose and data that may speak of CUDA without being code.
_PROSE = frozenset(
    (
        *(".md", ".rst", ".txt", ".html", ".css", ".svg", ".ipynb", ".po", ".log"),
        *(".json", ".lock", ".csv", ".yml", ".yaml", ".patch", ".diff"),
    )
)
_LARGEST = 1 << 20
_NAMES_CUDA = re.compile(rb"(?i)\bnvcc|cuda|cudnn|cublas|\bnccl")
_CUDA_CODE = re.compile(
    rb"\bcuda_runtime|\bcuda\.h\b|\b__global__\b|\bcuda[A-Z]\w*\s*\(|\bcu(?:Mem|Ctx|Device|Launch|"
    rb"Stream|Event|Module|Init|Func)\w*\s*\(|\bCUdeviceptr\b|\bcuda(?:Error|Stream|Event)_t\b"
)


def is_build_file(path: str) -> bool:
    """Whether a path is a build file's by its name; a Python script may be one by its content."""
    name = PurePosixPath(path)
    return name.name in _BUILD_NAMES or name.suffix.lower() in _BUILD_SUFFIXES


def look_through(tree: Tree, handled: Collection[str] = ()) -> Iterator[Diagnostic]:
    """Yield what is to be said of a tree besides the findings inside its sources.

    `handled`: paths of other files that are ported or were looked at.
    """
    yield from _case_clashes(tree)
    sources = {source.path: source for source in tree.sources}
    for entry in tree.entries:
        match entry.kind:
            case Kind.SOURCE:
                yield from _source(sources[entry.path])
            case Kind.FILE:
                if entry.path not in handled and not entry.path.startswith(f"{FOLDER}/"):
                    yield from _copied(tree, entry)
            case Kind.LINK:
                yield from _link(tree, entry)
            case Kind.SPECIAL:
                yield SPECIAL.at(entry.path, "neither a file nor a folder; it was left out")
            case Kind.BUILD:
                yield BUILD_FOLDER.at(entry.path, "CMake has built here; the folder was left out")
            case Kind.FOLDER:
                pass


def _source(source: SourceFile) -> Iterator[Diagnostic]:
    if not source.is_binary:
        return
    wide = source.data[:2] in (b"\xff\xfe", b"\xfe\xff")
    what = "UTF-16 text" if wide else "no text: it has NUL bytes"
    yield BINARY.at(
        source.path,
        f"the file is {what}; it is not ported",
        "save it as UTF-8" if wide else "exclude it in [tool.porting] if it is no source",
    )


def _copied(tree: Tree, entry: Entry) -> Iterator[Diagnostic]:
    name = PurePosixPath(entry.path)
    if is_build_file(entry.path):
        line = _first_line(tree, entry, _NAMES_CUDA)
        message = f"{name.name} is a build file of a kind that is not ported, and names CUDA"
        if line:
            yield BUILD_FILE.at(entry.path, message, line=line)
    elif name.suffix.lower() not in _PROSE:
        line = _first_line(tree, entry, _CUDA_CODE)
        message = "CUDA is named in a file that stays as it is"
        if line:
            yield FOREIGN_CODE.at(entry.path, message, line=line)


def _first_line(tree: Tree, entry: Entry, pattern: re.Pattern[bytes]) -> int:
    """Return the line of the first match in a small text file, 0 for none."""
    path = tree.root / entry.path
    try:
        if path.stat().st_size > _LARGEST:
            return 0
        data = path.read_bytes()
    except OSError:  # it vanished since the tree was read: the copying will say so
        return 0
    if b"\0" in data[:65536]:
        return 0
    found = pattern.search(data)
    return data.count(b"\n", 0, found.start()) + 1 if found else 0


def _link(tree: Tree, entry: Entry) -> Iterator[Diagnostic]:
    path = tree.root / entry.path
    target = Path(os.path.realpath(path))  # Path.resolve raises RuntimeError on a loop before 3.13
    root = tree.root.resolve()
    shown = f"link to '{entry.link}'"
    if _is_loop(path, target):
        text = f"{shown} leads to itself or to a folder above it; it is kept and not followed"
        yield LINK_LOOP.at(entry.path, text, "remove it if nothing needs it")
    elif entry.link.startswith("/") or not target.is_relative_to(root):
        text = f"{shown} leads out of the tree; it is kept as it is and its target is not ported"
        yield OUTSIDE_LINK.at(entry.path, text)


def _is_loop(path: Path, target: Path) -> bool:
    # realpath gives up on a loop and returns a link.
    return target.is_symlink() or path.parent.resolve().is_relative_to(target)


def _case_clashes(tree: Tree) -> Iterator[Diagnostic]:
    first: dict[str, str] = {}
    for entry in tree.entries:
        other = first.setdefault(entry.path.casefold(), entry.path)
        same_folder = posixpath.dirname(other) == posixpath.dirname(entry.path)
        if other != entry.path and same_folder:
            text = f"'{entry.path}' and '{other}' differ only in case"
            yield CASE_CLASH.at(entry.path, text, "rename one of the two")
