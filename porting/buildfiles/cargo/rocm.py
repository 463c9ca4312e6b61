"""Rewrite a build script for ROCm: the edits, or the places that keep it from being rewritten."""

import posixpath
import re
from collections.abc import Sequence

from porting.buildfiles.cargo.chains import chain_edits
from porting.buildfiles.cargo.flow import tainted_names, uses
from porting.buildfiles.cargo.rust_side import rust_side
from porting.buildfiles.cargo.script import Range, Script
from porting.buildfiles.cargo.texts import (
    for_rocm,
    is_of_cuda,
    link_line,
    rpath_line,
    sets_search,
)
from porting.buildfiles.cargo.work import ROCM_HOME, Rewriting, quoted
from porting.buildfiles.codes import LEFT_ALONE, LIBRARY_DROPPED, RUN_PATH_LOST
from porting.buildfiles.implied import implied_libraries
from porting.buildfiles.model import BuildContext
from porting.edits import Edit
from porting.rules.strings.machine import ROCM_VARIABLE

_MESSAGES = frozenset(("panic", "expect", "eprintln", "unwrap_or_default", "assert", "warn"))


def rewrite(script: Script, context: BuildContext, folder: str) -> Rewriting:
    """Return the rewriting of a script; an error among its findings means that it must not be used.

    Everything of CUDA's in the script is rewritten or reported.
    """
    work = Rewriting(script, context, folder)
    tainted = tainted_names(script)
    chain_edits(work)
    _searches(work, tainted)
    _links(work, tainted)
    _strings(work)
    rust_side(work)
    work.edits = _in_order(work.edits)
    return work


def _in_order(edits: Sequence[Edit]) -> list[Edit]:
    return sorted(edits, key=lambda edit: (edit.start, edit.end))


def _searches(work: Rewriting, tainted: frozenset[str]) -> None:
    """Give each folder that is searched for CUDA's libraries to the loader too."""
    for number, text in work.script.texts():
        if not _searches_cuda(work.script, number, text, tainted):
            continue
        statement = work.script.statement(number)
        literal = work.script.tokens[number]
        first = work.script.tokens[statement.first].start
        whole = work.script.text(statement)
        new = rpath_line(for_rocm(text) or text)
        at = literal.start - first
        line = whole[:at] + quoted(new) + whole[at + len(literal.text) :]
        work.add_line_after(number, _on_one_line(line))


def _searches_cuda(script: Script, number: int, text: str, tainted: frozenset[str]) -> bool:
    """Whether a string tells cargo of a folder of CUDA's, and not of one of the build's own."""
    if not sets_search(text):
        return False
    return is_of_cuda(text) or uses(script, script.statement(number), tainted)


def _on_one_line(text: str) -> str:
    return re.sub(r"\s*\n\s*", " ", text)


def _links(work: Rewriting, tainted: frozenset[str]) -> None:
    """Link ROCm's libraries, each once in a block."""
    linked: set[tuple[int, str]] = set()
    implied = implied_libraries(work.context)
    has_search = any(
        _searches_cuda(work.script, number, text, tainted) for number, text in work.script.texts()
    )
    for number, text in work.script.texts():
        line = link_line(text)
        if line is None:
            continue
        work.done.add(number)
        block = _block(work.script, number)
        lines = line.lines(implied if "amdhip64" in line.names else ())
        if lines and not linked:
            _dependents(work, number)
        new = [one for one in lines if (block, one) not in linked]
        linked.update((block, one) for one in new)
        if line.reason:
            shown = text.partition("=")[2]
            work.tell(LIBRARY_DROPPED, number, f"{shown}: {line.reason}")
        if not new:
            work.remove_statement(number)
            continue
        if not has_search:
            has_search = True
            for added in (_LIBRARIES[work.compat], *_SEARCH):
                work.add_line_before(number, added)
        work.replace(Range(number, number + 1), quoted(new[0]))
        for more in new[1:]:
            work.add_line_after(number, f"println!({quoted(more)});")


def _dependents(work: Rewriting, number: int) -> None:
    """Tell that other crates of the tree have to give their programs the run path themselves."""
    paths = work.context.paths
    own = posixpath.dirname(work.script.source.path)
    others = {posixpath.dirname(p) for p in paths if posixpath.basename(p) == "Cargo.toml"} - {own}
    found = [crate for crate in others if posixpath.join(crate, "src/main.rs") in paths]
    if found and posixpath.join(own, "src/lib.rs") in paths:
        message = f"programs of {', '.join(sorted(found))} get no run path from this script"
        help_text = "print cargo:rustc-link-arg=-Wl,-rpath,<rocm>/lib in a build.rs of theirs"
        work.tell(RUN_PATH_LOST, number, message, f"{help_text}, or set RUSTFLAGS")


_LIBRARIES = {
    False: f'let rocm_lib = {ROCM_HOME} + "/lib";',
    True: 'let rocm_lib = gpu_build::home() + "/lib";',
}
_SEARCH = (
    'println!("cargo:rustc-link-search=native={rocm_lib}");',
    'println!("cargo:rustc-link-arg=-Wl,-rpath,{rocm_lib}");',
    f'println!("cargo:rerun-if-env-changed={ROCM_VARIABLE}");',
)


def _block(script: Script, number: int) -> int:
    """Return the brace that opens the block around a token."""
    braces = (n for n in range(number, -1, -1) if script.tokens[n].text == "{")
    return next((n for n in braces if script.partner.get(n, -1) > number), -1)


def _strings(work: Rewriting) -> None:
    """Rewrite every other string that names something of CUDA's."""
    seen: set[str] = set()
    for number, text in work.script.texts():
        if number in work.done or not is_of_cuda(text):
            continue
        if _is_message(work.script, number):
            continue
        new = for_rocm(text)
        if new is None:
            message = f"{work.script.tokens[number].text} has no certain counterpart for ROCm"
            help_text = "write the ROCm branch by hand; the file stays as it is until then"
            work.tell(LEFT_ALONE, number, message, help_text)
        elif "rerun-if-env-changed" in new and new in seen:
            work.remove_statement(number)
        else:
            seen.add(new)
            work.replace(Range(number, number + 1), quoted(new))


def _is_message(script: Script, number: int) -> bool:
    """Whether a string is only shown to people."""
    statement = script.statement(number)
    before = [token.text for token in script.tokens[max(number - 3, statement.first) : number]]
    return any(word in _MESSAGES for word in before)
