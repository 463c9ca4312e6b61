"""Calls that build CUDA sources in a build script: cc::Build, Command and bindgen."""

from porting.buildfiles.cargo.flow import enclosing_function, home_name
from porting.buildfiles.cargo.patterns import hip_pattern
from porting.buildfiles.cargo.script import Call, Range, Script
from porting.buildfiles.cargo.work import ROCM_HOME, Rewriting, compat_flags, quoted
from porting.buildfiles.codes import LEFT_ALONE, flag_code
from porting.buildfiles.flags import Piece, offload_arch, translate
from porting.diagnostics import Severity
from porting.edits import Edit
from porting.headers.rust.lexer import Kind
from porting.mapping import Names

_ONE_FLAG = frozenset(("flag", "flag_if_supported", "arg"))
_MANY_FLAGS = frozenset(("flags", "args"))
_OUTPUT_ONLY = frozenset(("-c", "-dc", "--compile", "--device-c", "-ptx", "-fatbin", "-cubin"))
_CUDA_ONLY = frozenset(("cudart", "ccbin"))
_LISTS = (
    "allowlist_",
    "whitelist_",
    "blocklist_",
    "blacklist_",
    "opaque_",
    "rustified_",
    "newtype",
)


def chain_edits(work: Rewriting) -> None:
    """Rewrite the calls of a script that name nvcc's options or CUDA's functions."""
    calls = list(work.script.calls())
    names = Names.load(work.context.target.rocm)
    for call in calls:
        if call.name == "cuda":
            _cuda(work, call)
        elif call.name in _CUDA_ONLY:
            _drop(work, call)
        elif call.name.startswith(_LISTS) or call.name.startswith("constified_"):
            _bindgen(work, call, names)
        elif call.name in _MANY_FLAGS:
            _list(work, call)
    for run in _runs(work.script, calls):
        _flags(work, run)
    _commands(work)


def _cuda(work: Rewriting, call: Call) -> None:
    """Let cc run the compiler of HIP: it has no mode of its own for it."""
    value = work.script.text(call.arguments) if call.arguments.end > call.arguments.first else ""
    if value != "true":
        work.tell(LEFT_ALONE, call.whole.first + 1, f".cuda({value}) depends on more than `true`")
        return
    home, is_path = home_name(work.script, call.whole.first)
    fallback = '"hipcc".into()'
    parts = [".cpp(true)"]
    if home:
        shown, more = ("{}", f", {home}.display()") if is_path else (f"{{{home}}}", "")
        fallback = f'format!("{shown}/bin/hipcc"{more})'
        parts.append(f'.flag(&format!("--rocm-path={shown}"{more}))')
    parts.insert(1, f'.compiler(std::env::var("HIPCC").unwrap_or({fallback}))')
    flags = ("-x", "hip", *_architectures(work, call.whole.first))
    parts.append("".join(f'.flag("{flag}")' for flag in flags))
    if work.compat:
        # One call each: cc has `flags` only from 1.2 on.
        parts.append("".join(f".flag({quoted(flag)})" for flag in compat_flags(work.folder)))
    work.replace(call.whole, work.line_break(call.whole.first).join(parts))


def _architectures(work: Rewriting, number: int) -> tuple[str, ...]:
    """Return the target's architectures, once in a function."""
    _, body = enclosing_function(work.script, number)
    if body in work.with_architectures:
        return ()
    work.with_architectures.add(body)
    return offload_arch(work.context.target.archs)


def _commands(work: Rewriting) -> None:
    """Give commands of nvcc architectures, a run path where they link, and CUDA's names."""
    tokens = work.script.tokens
    for at, token in enumerate(tokens[:-4]):
        opening = at + 3
        words = [other.text for other in tokens[at : opening + 1]]
        if token.text != "Command" or words[1:] != ["::", "new", "("]:
            continue
        close = work.script.partner.get(opening, opening)
        if "nvcc" not in work.script.text(Range(opening, close + 1)):
            continue
        calls = "".join(f'.arg("{flag}")' for flag in _architectures(work, at))
        if _stops_before_linking(work.script, at):
            calls = '.args(["-x", "hip"])' + calls
        elif _links(work.script, at):
            calls += f'.arg(format!("-Wl,-rpath,{{}}/lib", {_home(work)}))'
        if work.compat:
            calls += f".args(gpu_build::compat_flags({quoted(work.folder)}))"
            if close == opening + 2 and work.script.is_text(opening + 1):
                program = f'format!("{{}}/bin/hipcc", {_home(work)})'
                work.replace(Range(opening + 1, opening + 2), program)
        if calls:
            work.insert(close + 1, calls)


def _home(work: Rewriting) -> str:
    """Return the expression for ROCm's folder, as a text."""
    if work.compat:
        return "gpu_build::home()"
    return ROCM_HOME


def _links(script: Script, number: int) -> bool:
    """Whether a command's function has nvcc link a shared library."""
    return not _words(script, number).isdisjoint(("-shared", "--shared"))


def _stops_before_linking(script: Script, number: int) -> bool:
    """Whether a command is given an option to compile only: in its statement, else anywhere."""
    given = _strings(script, script.statement(number))
    if len(given) > 1:
        return not given.isdisjoint(_OUTPUT_ONLY)
    return not _words(script, number).isdisjoint(_OUTPUT_ONLY) and not _links(script, number)


def _strings(script: Script, where: Range) -> frozenset[str]:
    return frozenset(script.value(n) for n in range(*where) if script.is_text(n))


def _words(script: Script, number: int) -> frozenset[str]:
    """Return the strings in the function around a token."""
    _, body = enclosing_function(script, number)
    end = script.partner.get(body, len(script.tokens))
    return _strings(script, Range(max(body, 0), end))


def _drop(work: Rewriting, call: Call) -> None:
    statement = work.script.statement(call.whole.first)
    if call.whole.first - statement.first <= 1 and call.whole.end + 1 >= statement.end:
        work.remove_statement(call.whole.first)
    else:
        work.remove(call.whole)


def _runs(script: Script, calls: list[Call]) -> list[list[Call]]:
    """Return calls that give one flag each, in groups that follow each other directly."""
    groups: list[list[Call]] = []
    for call in calls:
        if call.name not in _ONE_FLAG:
            continue
        if groups and _follows(script, groups[-1][-1], call):
            groups[-1].append(call)
        else:
            groups.append([call])
    return groups


def _follows(script: Script, before: Call, call: Call) -> bool:
    """Whether a call is the next one of a chain, or of the same variable's next statement."""
    if before.name != call.name:
        return False
    between = script.tokens[before.whole.end : call.whole.first]
    words = [token.text for token in between]
    receiver = script.tokens[before.whole.first - 1].text
    return not words or words == [";", receiver]


def _flags(work: Rewriting, run: list[Call]) -> None:
    words = [_word(work.script, call.arguments) for call in run]
    translated = translate(words)
    for piece in translated.pieces:
        calls = run[piece.start : piece.end]
        if piece.flags == tuple(words[piece.start : piece.end]):
            continue
        first = calls[0]
        if not _is_certain(work, first, piece, words):
            continue
        name = first.name
        new = _new_flags(work, piece, first)
        alone = _is_statement(work.script, first)
        if alone and not new:
            for call in calls:
                work.remove_statement(call.whole.first)
            continue
        work.put(first.whole, "".join(f'.{name}("{flag}")' for flag in new))
        for call in calls[1:]:
            if alone:
                work.remove_statement(call.whole.first)
            else:
                work.remove(call.whole)


def _is_statement(script: Script, call: Call) -> bool:
    """Whether `variable.flag(...);` is all of a statement."""
    statement = script.statement(call.whole.first)
    return call.whole.first == statement.first + 1 and call.whole.end + 1 == statement.end


def _new_flags(work: Rewriting, piece: Piece, call: Call) -> tuple[str, ...]:
    """Return the flags for ROCm; architectures are given once."""
    return _architectures(work, call.whole.first) if piece.arch else piece.flags


def _list(work: Rewriting, call: Call) -> None:
    """Rewrite an array of flags; any other argument is looked at word by word elsewhere."""
    script = work.script
    opening = next(
        (n for n in range(*call.arguments) if script.tokens[n].text == "["), call.arguments.end
    )
    if opening not in script.partner or opening - call.arguments.first > 1:
        return
    elements = _elements(script, opening)
    words = [_word(script, element) for element in elements]
    translated = translate(words)
    if not translated.changed:
        return
    for piece in translated.pieces:
        if piece.flags == tuple(words[piece.start : piece.end]):
            continue
        whole = Range(elements[piece.start].first, elements[piece.end - 1].end)
        if not _is_certain(work, call, piece, words):
            continue
        new = _new_flags(work, piece, call)
        if not new and script.tokens[whole.end].text == ",":
            start, end = script.tokens[whole.first].start, script.tokens[whole.end + 1].start
            work.edits.append(Edit(start, end, ""))
            work.done.update(range(*whole))
        else:
            work.replace(whole, ", ".join(f'"{flag}"' for flag in new))


def _elements(script: Script, opening: int) -> list[Range]:
    found: list[Range] = []
    at = first = opening + 1
    close = script.partner[opening]
    while at < close:
        if script.tokens[at].text == ",":
            found.append(Range(first, at))
            first = at + 1
        at = script.partner.get(at, at) + 1 if script.tokens[at].text in ("(", "[", "{") else at + 1
    if first < close:
        found.append(Range(first, close))
    return found


def _word(script: Script, where: Range) -> str:
    """Return a literal argument; what is computed is a word that is no option."""
    texts = [n for n in range(*where) if script.is_text(n)]
    others = [n for n in range(*where) if script.tokens[n].kind is Kind.IDENT]
    if len(texts) == 1 and (not others or script.tokens[others[0]].text == "format"):
        return script.value(texts[0])
    return "{}"


def _is_certain(work: Rewriting, call: Call, piece: Piece, words: list[str]) -> bool:
    """Whether a piece can be replaced: what it loses is known, and nothing of it is computed."""
    for note in piece.notes:
        if note.severity is Severity.ERROR:
            work.tell(LEFT_ALONE, call.whole.first + 1, f"{note.flag}: {note.text}")
            return False
        work.tell(flag_code(note.severity), call.whole.first + 1, f"{note.flag}: {note.text}")
    computed = any("{" in word for word in words[piece.start : piece.end])
    if computed and not piece.arch:
        shown = " ".join(words[piece.start : piece.end])
        work.tell(LEFT_ALONE, call.whole.first + 1, f"{shown} is put together when the script runs")
    return not computed or piece.arch


def _bindgen(work: Rewriting, call: Call, names: Names) -> None:
    """Rewrite the names of a list for bindgen: CUDA's to HIP's, patterns by their beginning."""
    for number in range(*call.arguments):
        if not work.script.is_text(number):
            continue
        text = work.script.value(number)
        new = hip_pattern(text, names)
        work.done.add(number)
        if new is None:
            message = f'bindgen is asked for "{text}", which no name of HIP answers'
            work.tell(LEFT_ALONE, number, message)
        elif new != text:
            work.replace(Range(number, number + 1), quoted(new))
