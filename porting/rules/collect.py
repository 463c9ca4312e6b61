"""Read the facts about a whole tree that its files need from each other."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from porting.mapping import is_function
from porting.rules.api.redirects import redirected_in
from porting.rules.bfloat import bfloat_aliases, uses_bfloat16
from porting.rules.c_headers import missing_headers
from porting.rules.calculating import calculating_macros
from porting.rules.declared import declared_in, has_type_before
from porting.rules.own_functions import own_functions
from porting.rules.pasting import collect_pastes
from porting.rules.project import Project
from porting.rules.runtime_header import brings_runtime, uses_device
from porting.rules.warp.evidence import asks_warp_size, counts_in_32
from porting.rules.warp.tree import with_lane_masks
from porting.source import C_SUFFIXES, SourceFile
from porting.syntax import has_trace_of_cuda

# It starts with a text that the engine can search for at once, like most expressions here.
_INCLUDE: Final = re.compile(r"#[ \t]*(?:include|import)[ \t]*([<\"])([^>\"\n]+)[>\"]")
# Who names the driver's library opens it, be it through functions of another tree.
_LOOK_UPS: Final = ("dlsym", "dlvsym", "GetProcAddress", '"libcuda.so', '"nvcuda.dll')
_HIP_BRANCH: Final = re.compile(
    r"^[ \t]*#[ \t]*if(?:def[ \t]+|[ \t]+defined[ \t]*\(?[ \t]*)(\w+)[ \t]*\)?[ \t]*(?://[^\n]*)?\r?\n"
    r"(?:[ \t]*(?:#[ \t]*(?:include|define|pragma)[^\n]*|//[^\n]*)?\r?\n){0,8}?"
    r"[ \t]*#[ \t]*include[ \t]*[<\"]hip/",
    re.MULTILINE,
)
_HANDLE_TYPE: Final = re.compile(
    r"CUdeviceptr(?:_v\d)?|CU(?:tex|surf)Object|cuda(?:Texture|Surface)Object_t"
    r"|CUmemGenericAllocationHandle(?:_v\d)?"
)
_HANDLE: Final = re.compile(rf"\b({_HANDLE_TYPE.pattern})[ \t]+(\w+)[ \t]*([;={{(])")
_WORD_END: Final = re.compile(r"\w+\Z")
_SHORT: Final = 48


def collect_project(files: Iterable[SourceFile], paths: Iterable[str] = ()) -> Project:
    """Return the facts about a tree.

    `files`: its C-family sources.  `paths`: further paths of the tree.
    """
    sources = [file for file in files if file.suffix in C_SUFFIXES and not file.is_binary]
    traced = [source for source in sources if has_trace_of_cuda(source.text)]
    texts = [source.text for source in sources]
    all_paths = frozenset(paths).union(source.path for source in sources)
    found = Project(files=all_paths)
    own, brings = _inclusions(sources, found)
    near = {path for source in traced for path in own[source.path]}
    near.update(source.path for source in traced)
    members, functions = _handles(traced, [s for s in sources if s.path in near])
    _spread(own, brings)
    bare = {source.path for source in traced if uses_device(source.text)} - brings
    _spread(own, bare)
    declared = {source.path: frozenset(declared_in(source.text)) for source in traced}
    own_names = own_functions(
        sources, {path: frozenset(filter(is_function, names)) for path, names in declared.items()}
    )
    project = Project(
        declared=frozenset().union(*declared.values()) - own_names.hidden,
        files=all_paths,
        platform_macros=tuple(sorted({m for s in sources for m in _platform_macros(s.text)})),
        runtime_headers=frozenset(brings),
        bare_headers=frozenset(bare - brings),
        looks_up_symbols=any(name in source.text for source in traced for name in _LOOK_UPS),
        pastes=collect_pastes([source.text for source in traced]),
        handle_members=members,
        handle_functions=functions,
        counts_in_32=any(counts_in_32(source.text) for source in traced),
        asks_warp_size=any(asks_warp_size(source.text) for source in traced),
        calculating_macros=calculating_macros(texts),
        own_functions=own_names,
        uses_bfloat16=uses_bfloat16(texts),
        bfloat_aliases=bfloat_aliases(texts),
        c_headers=missing_headers(
            sources, lambda path, header, quoted: _resolve(found, path, header, quoted=quoted)
        ),
        redirected=frozenset(name for source in sources for name in redirected_in(source.text)),
    )
    return with_lane_masks(project, sources)


def _handles(
    traced: Sequence[SourceFile], near: Sequence[SourceFile]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the members and functions of headers that are integer handles, with their type.

    A name that one of these files or of those they include (`near`) declares with another type as
    well is left out.
    """
    members: dict[str, str] = {}
    functions: dict[str, str] = {}
    for source in traced:
        if source.suffix.startswith(".h") or source.suffix == ".cuh":
            for match in _HANDLE.finditer(source.text):
                (functions if match[3] == "(" else members)[match[2]] = match[1]
    for found in (members, functions):
        for name in [name for name in found if _has_other_type(near, name)]:
            del found[name]
    return members, functions


def _has_other_type(sources: Sequence[SourceFile], name: str) -> bool:
    """Whether a file declares the name as a member or function of a type that is no handle."""
    return any(
        _HANDLE_TYPE.fullmatch(type_) is None
        for source in sources
        for type_ in _types_of(source.text, name)
    )


def _types_of(text: str, name: str) -> Iterator[str]:
    """Yield the last word of the type in front of every declaration of a name."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        follows = text[end : end + 4].lstrip(" \t")[:1]
        before = text[max(at - _SHORT, 0) : at]
        if follows in ("=", ";", "{", "[", "(") and has_type_before(before):
            words = _WORD_END.search(before.rstrip("*& \t\r\n"))
            if words is not None or follows != "(":
                yield words[0] if words is not None else ">"
        at = text.find(name, end)


def _platform_macros(text: str) -> Iterator[str]:
    """Yield the macros under which a text includes HIP headers: the project's switches for ROCm."""
    if "hip/" in text:
        yield from (match[1] for match in _HIP_BRANCH.finditer(text))


def _inclusions(
    sources: Sequence[SourceFile], project: Project
) -> tuple[dict[str, list[str]], set[str]]:
    """Return the headers of the tree that each file includes, and who includes the runtime's."""
    own: dict[str, list[str]] = {}
    brings: set[str] = set()
    for source in sources:
        own[source.path] = []
        for match in _INCLUDE.finditer(source.text):
            if not _starts_line(source.text, match.start()):
                continue
            path = _resolve(project, source.path, match[2], quoted=match[1] == '"')
            if path is not None:
                own[source.path].append(path)
            elif brings_runtime(match[2]):
                brings.add(source.path)
    return own, brings


def _starts_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t")


def _resolve(project: Project, includer: str, header: str, *, quoted: bool) -> str | None:
    beside = project.beside(includer, header) if quoted else None
    if beside is not None or brings_runtime(header):
        return beside
    return project.by_suffix(header)


def _spread(own: dict[str, list[str]], facts: set[str]) -> None:
    """Add to `facts` every file that includes one of them, until nothing is added."""
    includers: dict[str, list[str]] = {}
    for path, included in own.items():
        for header in included:
            includers.setdefault(header, []).append(path)
    todo = list(facts)
    while todo:
        for path in includers.get(todo.pop(), ()):
            if path not in facts:
                facts.add(path)
                todo.append(path)
