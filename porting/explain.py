"""What the tool knows about a code, a CUDA name or a library, as text."""

import textwrap
from collections.abc import Sequence
from difflib import get_close_matches

from porting.diagnostics import Code
from porting.errors import UsageError
from porting.mapping import Name, Names, Status

_WIDTH = 88


def explain(word: str, names: Names, codes: Sequence[Code]) -> str:
    """Return the page of a code, or the record of a CUDA identifier, header or namespace.

    Raises UsageError with the nearest words for one that is none of these.
    """
    by_code = {code.code: code for code in codes}
    if code := by_code.get(word.upper()):
        return _code_page(code)
    header = word.strip('<>"')
    found = [
        name
        for name in (names.get(word), names.header(header), names.namespace(word))
        if name is not None
    ]
    if found:
        return "\n".join(_name_page(name, names.release) for name in found)
    raise UsageError(_unknown(word, names, by_code))


def _code_page(code: Code) -> str:
    """Return what a code means and what to do."""
    head = f"{code.code}: {code.title}"
    facts = f"topic {code.topic}, {code.severity.value} unless a finding says otherwise"
    return f"{head}\n{facts}\n\n{_filled(code.explanation)}"


def code_list(codes: Sequence[Code]) -> str:
    """Return one line per code."""
    return "".join(
        f"{code.code}  {code.severity.value:7}  {code.topic:20}  {code.title}\n" for code in codes
    )


def _name_page(name: Name, release: str) -> str:
    """Return the record of a CUDA name for a ROCm release."""
    becomes = {
        Status.MAPPED: name.target,
        Status.UNCHANGED: f"{name.name} (the same name)",
        Status.UNSUPPORTED: "nothing: unsupported",
    }[name.status]
    rows = [
        ("CUDA", f"{name.name} ({name.kind} of {name.library})"),
        (f"ROCm {release}", becomes or ""),
        ("since", f"ROCm {name.since}" if name.since else ""),
        ("until", f"ROCm {name.until}" if name.until else ""),
        ("besides", name.action.value if name.action.value != "none" else ""),
        ("reason", name.reason),
        ("help", name.help),
        ("declared", name.declared),
        ("source", name.cite),
    ]
    return "".join(f"{what + ':':11} {text}\n" for what, text in rows if text)


def library_table(names: Names) -> str:
    """Return how many names of each library are mapped, unchanged and unsupported."""
    counts = names.counts()
    lines = [f"names for ROCm {names.release}", f"{'library':20} mapped  unchanged  unsupported"]
    for library, count in sorted(counts.items()):
        row = (count[Status.MAPPED], count[Status.UNCHANGED], count[Status.UNSUPPORTED])
        lines.append(f"{library:20} {row[0]:6}  {row[1]:9}  {row[2]:11}")
    total = [sum(count[status] for count in counts.values()) for status in Status]
    lines.append(f"{'total':20} {total[0]:6}  {total[1]:9}  {total[2]:11}")
    return "\n".join(lines) + "\n"


def _unknown(word: str, names: Names, by_code: dict[str, Code]) -> str:
    near = get_close_matches(word.upper(), by_code, 3, 0.8)
    if not near:
        near = get_close_matches(word, (name.name for name in names), 3, 0.8)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    return f"'{word}' is no code of this tool and no name of a CUDA header it knows{hint}"


def _filled(text: str) -> str:
    paragraphs = (textwrap.fill(part, _WIDTH) for part in text.split("\n\n"))
    return "\n\n".join(paragraphs) + "\n"
