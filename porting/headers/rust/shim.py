"""Make the Rust files of a tree, say what is wrong with its crates, check earlier files."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from porting import __version__
from porting.config import Target
from porting.diagnostics import Diagnostic, by_place
from porting.headers.generate import FOLDER
from porting.headers.rust.api import cuda_api, hip_api, with_size_t
from porting.headers.rust.build_script import build_text
from porting.headers.rust.codes import BAD_PATTERN, LACKING, NO_COUNTERPART, NO_SCRIPT, STALE
from porting.headers.rust.crates import Crate, crates
from porting.headers.rust.enums import EnumStyle
from porting.headers.rust.lexer import Kind, string_value, tokens
from porting.headers.rust.lints import lint
from porting.headers.rust.module import Module
from porting.headers.rust.module_text import module_text
from porting.headers.rust.shapes import Shapes
from porting.headers.rust.style import Bindings, Style
from porting.headers.rust.symbols import Symbols
from porting.headers.rust.uses import How, Use, Uses, crate_uses
from porting.mapping import Names
from porting.rules.strings.sonames import DROP_INS
from porting.source import SourceFile

MODULE: Final = f"{FOLDER}/rocm_compat.rs"
SYMBOLS: Final = f"{FOLDER}/rocm_symbols.rs"
BUILD: Final = f"{FOLDER}/rocm_build.rs"

_AGAIN: Final = "run `porting headers TREE -o TREE` and commit what it writes"


@dataclass(frozen=True)
class Needs:
    """What a crate's build script has to call in a ROCm build (see rocm_build.rs).

    `symbols`: the linker needs the forwarders.  `bindings`: bindgen needs CUDA's names.  `cfg`:
    sources ask whether the build is for ROCm.  `libraries`: those of CUDA whose functions the crate
    declares, as the name tables call them.
    """

    symbols: bool = False
    bindings: bool = False
    cfg: bool = False
    libraries: tuple[str, ...] = ()


@dataclass(frozen=True)
class Shim:
    """The Rust files for a tree, by path below its root, and what was found on the way.

    `scripts`: path of a build script -> what it has to call.  `provided`: the CUDA names that the
    files hold, those without a counterpart among them: a comment lists those.  `handled`: the
    manifests and sources of packages, build scripts aside.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    scripts: Mapping[str, Needs] = field(default_factory=dict)
    provided: frozenset[str] = frozenset()
    handled: tuple[SourceFile, ...] = ()


@dataclass(frozen=True)
class _Made:
    """The parts of a shim while it is made."""

    module: Module
    symbols: Symbols
    uses: Sequence[Uses]


def concerns(path: str) -> bool:
    """Whether a file is one that a shim is made from: a Rust source or a manifest."""
    is_generated = path.startswith(f"{FOLDER}/")
    return path.endswith((".rs", "Cargo.toml")) and not is_generated


def generate(
    sources: Iterable[SourceFile],
    target: Target,
    names: Names,
    bindings: Bindings = Bindings.DECLARED,
) -> Shim:
    """Return the Rust files for the crates among the sources that use CUDA and no HIP yet."""
    kept = [source for source in sources if concerns(source.path)]
    packages = crates(kept)
    paths = {path for crate in packages for path in crate.paths}
    handled = tuple(source for source in kept if source.path in paths)
    cuda = [uses for crate in packages if (uses := _cuda_uses(crate, names)) is not None]
    if not cuda:
        return Shim(handled=handled)
    made = _make(cuda, target, names, bindings)
    found = [*_missing(made), *_patterns(cuda), *_without_script(made)]
    for uses in cuda:
        found += lint(uses, made.module.shapes, target)
    files = _files(made, target) if _stand_ins(cuda) or any(uses.found for uses in cuda) else {}
    return Shim(files, tuple(by_place(found)), _scripts(made), _provided(files), handled)


def _cuda_uses(crate: Crate, names: Names) -> Uses | None:
    """Return what a crate uses, None for one that has nothing to do with CUDA or speaks HIP."""
    if crate.is_ported:
        return None
    uses = crate_uses(crate, names)
    return uses if uses.found or uses.opens_cuda else None


def _make(cuda: Sequence[Uses], target: Target, names: Names, bindings: Bindings) -> _Made:
    binders = [uses.bindgen for uses in cuda if uses.bindgen.runs]
    styles = {bindgen.enums for bindgen in binders} - {EnumStyle.CONSTS}
    size_t = min((bindgen.size_t for bindgen in binders), default="usize")
    edition = max((uses.crate.edition for uses in cuda), default="2021")
    chosen = Style(
        min(styles, default=EnumStyle.CONSTS),
        any(bindgen.default for bindgen in binders),
        max(edition, "2021"),
        bindings,
    )
    distinct = chosen.enums in (EnumStyle.RUST, EnumStyle.NEWTYPE)
    cuda_side, hip = with_size_t(cuda_api(), size_t), with_size_t(hip_api(target.rocm), size_t)
    module = Module(Shapes(names, cuda_side, hip, distinct), chosen)
    module.provide({use.wanted for uses in cuda for use in uses.found})
    symbols = Symbols(Shapes(names, cuda_side, hip))
    symbols.provide({name for uses in cuda for name in uses.declared})
    for function in symbols.targets:
        module.hip.add_function(function)
    return _Made(module, symbols, cuda)


def _scripts(made: _Made) -> dict[str, Needs]:
    found = {}
    for uses in made.uses:
        declared = _to_link(made, uses)
        known = (made.module.shapes.names.get(name) for name in declared)
        libraries = tuple(sorted({name.library for name in known if name is not None}))
        crate, binds = uses.crate, uses.bindgen.runs
        links = bool(declared or _stand_ins([uses]))
        needs = Needs(links, binds, crate.asks_for_rocm, libraries)
        if uses.crate.script is not None and needs != Needs():
            found[uses.crate.script.path] = needs
    return found


def _to_link(made: _Made, uses: Uses) -> frozenset[str]:
    """Return the functions that a crate declares and its build script has to link for ROCm."""
    forwarded = uses.declared & made.symbols.functions.keys()
    own = uses.declared & made.symbols.same if _stand_ins([uses]) else frozenset()
    return frozenset(forwarded | own)


# Findings


def _missing(made: _Made) -> Iterator[Diagnostic]:
    """Yield an error at the first use in a file of each name that cannot be given."""
    told: set[tuple[str, str]] = set()
    for uses in made.uses:
        for use in uses.found:
            name = use.wanted.cuda
            why = _why_missing(made, uses, use)
            if not why or use.how is How.PATTERN or (use.file, name) in told:
                continue
            told.add((use.file, name))
            yield NO_COUNTERPART.at(
                use.file,
                f"{name} cannot be given over HIP: {why}",
                "call something else, or leave the code out of the ROCm build",
                line=use.line,
                column=use.column,
                symbol=name,
            )


def _why_missing(made: _Made, uses: Uses, use: Use) -> str:
    """Say why a name cannot be given; what a crate declares itself needs a symbol only."""
    name = use.wanted.cuda
    if name in uses.own_names:
        return ""
    if name in uses.declared:
        return made.symbols.missing.get(name, "")
    return made.module.missing.get(name, "")


def _without_script(made: _Made) -> Iterator[Diagnostic]:
    """Yield an error where nothing can link the forwarders that a crate needs."""
    for uses in made.uses:
        declared = _to_link(made, uses)
        declares = (u for u in uses.found if u.how is How.DECLARED)
        first = next((u for u in declares if u.wanted.cuda in declared), None)
        if first is None or uses.crate.script is not None:
            continue
        folder = "/".join([".."] * (uses.crate.root.count("/") + bool(uses.crate.root)))
        folder = f"{folder}/{FOLDER}" if folder else FOLDER
        yield NO_SCRIPT.at(
            first.file,
            f"{uses.crate.name} declares {first.wanted.cuda} and has no build script to link it",
            "add a build.rs that holds fn main() {} and port the tree again: the port writes the"
            f' lines that link it. By hand these are include!("{folder}/rocm_build.rs"); and, in'
            f' main, rocm_build::link_symbols("{folder}"),'
            " then cargo:rustc-link-lib=dylib=amdhip64, cargo:rustc-link-search=native=<rocm>/lib"
            " and cargo:rustc-link-arg=-Wl,-rpath,<rocm>/lib",
            line=first.line,
            column=first.column,
            symbol=first.wanted.cuda,
        )


def _patterns(cuda: Sequence[Uses]) -> Iterator[Diagnostic]:
    for uses in cuda:
        script = uses.crate.script
        for literal, why in uses.bad_patterns:
            yield BAD_PATTERN.at(
                script.path if script else "",
                f"{literal.text} cannot be read: {why}",
                "list the names, or write a simpler pattern",
                line=literal.line,
                column=literal.column,
            )


# Files


def _files(made: _Made, target: Target) -> dict[str, str]:
    module, symbols = made.module, made.symbols
    head = _head(made, target)
    lacks = _lacks(made)
    title = "CUDA's names over HIP, for the Rust code of this tree."
    files = {MODULE: f"// {title}\n//\n{head}{lacks}\n{module_text(module)}"}
    links = any(_to_link(made, uses) for uses in made.uses) or bool(_stand_ins(made.uses))
    if links:
        title = "What the linker finds for the CUDA functions that crates of this tree declare."
        files[SYMBOLS] = f"//! {title}\n//!\n{head.replace('// ', '//! ')}\n{symbols.text()}"
    if links or any(uses.bindgen.runs for uses in made.uses):
        title = "For the build scripts of this tree's crates."
        text = build_text(_stand_ins(made.uses), module.integer_handles())
        files[BUILD] = f"// {title}\n//\n{head}\n{text}"
    return files


def _head(made: _Made, target: Target) -> str:
    inputs = sorted({use.file for uses in made.uses for use in uses.found})
    lines = [
        f"Generated by porting {__version__} (ROCm {target.rocm}).",
        *_wrapped(f"Made from: {', '.join(inputs)}."),
        "Run `porting headers TREE -o TREE` rather than edit this file.",
    ]
    return "".join(f"// {line}\n" for line in lines)


def _lacks(made: _Made) -> str:
    """List what HIP has nothing for, so that a reader does not look for it."""
    names = {*made.module.missing, *made.symbols.missing}
    if not names:
        return ""
    text = f"Not in HIP, or not the same there: {', '.join(sorted(names))}."
    return "//\n" + "".join(f"// {line}\n" for line in _wrapped(text))


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 96, break_long_words=False, break_on_hyphens=False)


def _stand_ins(cuda: Sequence[Uses]) -> tuple[str, ...]:
    """Return the CUDA libraries with a counterpart that #[link] attributes name."""
    found = {
        string_value(link)
        for uses in cuda
        for file in uses.crate.files
        for block in file.items.blocks
        for link in block.links
    }
    return tuple(sorted(name for name in found if name.removesuffix("_static") in DROP_INS))


# Checks


def check(
    sources: Iterable[SourceFile],
    existing: Mapping[str, str],
    target: Target,
    names: Names,
    bindings: Bindings = Bindings.DECLARED,
) -> tuple[Diagnostic, ...]:
    """Compare the Rust files that a tree has with what its crates use now.

    A name that they lack is an error at its first use, and so is one that they cannot give; files
    that differ otherwise are stale.
    """
    kept = [source for source in sources if concerns(source.path)]
    shim = generate(kept, target, names, bindings)
    held = _provided(existing)
    found: list[Diagnostic] = []
    told: set[str] = set()
    for crate in crates(kept):
        uses = _cuda_uses(crate, names)
        for use in uses.found if uses else ():
            name = use.wanted.spelled
            if name in held or name in told:
                continue
            told.add(name)
            where = SYMBOLS if use.how is How.DECLARED else MODULE
            found.append(
                LACKING.at(
                    use.file,
                    f"{name} is not in {where}",
                    _AGAIN,
                    line=use.line,
                    column=use.column,
                    symbol=name,
                )
            )
    if not found:
        found += (d for d in shim.diagnostics if d.code == NO_COUNTERPART.code)
        found += _stale(shim.files, existing)
    return tuple(by_place(found))


def _stale(wanted: Mapping[str, str], existing: Mapping[str, str]) -> Iterator[Diagnostic]:
    for path, text in wanted.items():
        if existing.get(path) != text:
            state = "is not what would be written now" if path in existing else "is not there"
            yield STALE.at(path, f"{path} {state}", _AGAIN)


def _provided(files: Mapping[str, str]) -> frozenset[str]:
    """Return every name in generated Rust files, those listed in their heads too."""
    found: set[str] = set()
    for path, text in files.items():
        if path in (MODULE, SYMBOLS):
            found.update(t.name for t in tokens(text) if t.kind is Kind.IDENT)
            found.update(_listed(text))
    return frozenset(found)


def _listed(text: str) -> set[str]:
    head = "\n".join(line for line in text.split("\n") if line.startswith("// "))
    _, _, listed = head.partition("Not in HIP")
    return set(listed.replace("//", " ").replace(",", " ").replace(".", " ").split())
