"""Rewrite a build script for ROCm: the edits, or the places that keep it from being rewritten."""

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
from porting.buildfiles.cargo.work import Rewriting, quoted
from porting.buildfiles.codes import LEFT_ALONE, LIBRARY_DROPPED
from porting.buildfiles.implied import implied_libraries
from porting.buildfiles.model import BuildContext
from porting.edits import Edit, apply_edits

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
    _watch(work)
    work.write_opening()
    work.edits = _in_order(work.edits)
    return work


def _in_order(edits: Sequence[Edit]) -> list[Edit]:
    return sorted(edits, key=lambda edit: (edit.start, edit.end))


def _searches(work: Rewriting, tainted: frozenset[str]) -> None:
    """Give each folder that is searched for CUDA's libraries to the loader too.

    Folders of CUDA's that are one of ROCm's, as lib64 and lib64/stubs are, are searched once.
    """
    seen: dict[tuple[int, str], str] = {}
    for number, text in work.script.texts():
        if not _searches_cuda(work.script, number, text, tainted):
            continue
        statement = work.script.statement(number)
        line = _with_run_path(work.script, statement, number)
        before = seen.setdefault((_block(work.script, number), line), text)
        if before != text:
            work.remove_statement(number)
            continue
        work.add_line_after(number, _on_one_line(line))


def _with_run_path(script: Script, statement: Range, search: int) -> str:
    """Return a statement whose token `search` tells of a folder, with its run path instead."""
    first = script.tokens[statement.first].start
    edits = []
    for number in range(*statement):
        if not script.is_text(number):
            continue
        text = script.value(number)
        new = for_rocm(text) or text
        new = rpath_line(new) if number == search else new
        if new != text:
            token = script.tokens[number]
            edits.append(Edit(token.start - first, token.end - first, quoted(new)))
    return apply_edits(script.text(statement), edits)


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
        if lines and work.linked < 0:
            work.linked = number
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
            for added in work.search:
                work.add_line_before(number, added)
        work.replace(Range(number, number + 1), quoted(new[0]))
        for more in new[1:]:
            work.add_line_after(number, f"println!({quoted(more)});")


def _watch(work: Rewriting) -> None:
    """Let cargo go on looking at the package's files, which it does where a script names nothing.

    What is added names variables, and so would end that.
    """
    script = work.script
    names = {token.text for token in script.tokens}
    tells = any("rerun-if" in text for _, text in script.texts())
    adds = work.compat or work.includes or any("rerun-if" in e.replacement for e in work.edits)
    if not tells and adds and names.isdisjoint(_TELL):
        work.opening[:0] = _PACKAGE


# Crates that name variables to cargo themselves.
_TELL = frozenset(("cc", "cmake", "pkg_config", "system_deps", "vcpkg"))
_PACKAGE = (
    "// Without these lines cargo would only look at the variables that are named below.",
    'for item in std::fs::read_dir(".").into_iter().flatten().flatten() {',
    "    let name = item.file_name().to_string_lossy().into_owned();",
    "    if name != \"target\" && !name.starts_with('.') {",
    '        println!("cargo:rerun-if-changed={name}");',
    "    }",
    "}",
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
        elif (again := _other_attempt(work.script, number, new)) is not None:
            work.remove(again)
        else:
            seen.add(new)
            work.replace(Range(number, number + 1), quoted(new))


def _other_attempt(script: Script, number: int, new: str) -> Range | None:
    """Return the call that would read a variable which the same chain has read before.

    That is `.or_else(|_| env::var("CUDA_PATH"))` behind a variable that is ROCM_PATH too.
    """
    for call in script.calls():
        if call.name not in ("or", "or_else") or number not in range(*call.arguments):
            continue
        texts = [n for n in range(*call.arguments) if script.is_text(n)]
        first = script.statement(number).first
        before = (script.value(n) for n in range(first, call.whole.first) if script.is_text(n))
        reads = any(script.tokens[n].name in ("var", "var_os") for n in range(*call.arguments))
        if reads and texts == [number] and any(for_rocm(text) == new for text in before):
            return call.whole
    return None


def _is_message(script: Script, number: int) -> bool:
    """Whether a string is only shown to people."""
    statement = script.statement(number)
    before = [token.text for token in script.tokens[max(number - 3, statement.first) : number]]
    return any(word in _MESSAGES for word in before)
