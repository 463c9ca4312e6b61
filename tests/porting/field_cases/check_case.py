"""Check one field case: its expect.txt against the tree and the diagnostics of a port.

usage: check_case.py CASE_DIR OUT_DIR [--diag DIAG.json]
DIAG is a list of {"file", "line", "topic", "severity", "message"}; file and line are the input's.
Prints a line per assertion that does not hold; exit 0 when all hold, else 1.

expect.txt, one assertion a line:
  MUST_CONTAIN FILE /regex/ · MUST_NOT_CONTAIN FILE /regex/ · COUNT FILE /regex/ == N
  MUST_DIAGNOSE FILE:A[-B] TOPIC [>=severity] [~/message/] · MUST_NOT_DIAGNOSE likewise (TOPIC or *)
  BYTES FILE STARTS|HAS|LACKS|ONCE HEX, BYTES FILE ALL_CRLF|ALL_LF|NO_FINAL_NEWLINE
  UNCHANGED FILE · VIEW raw|code (code: comments and texts in quotes are blank)
  ANY, then branches `| assertion && assertion`, then END: one branch must hold
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SEVERITIES = {"note": 0, "warning": 1, "error": 2}
COMMENTARY = {"CASE", "TITLE", "SPLIT", "CLASS", "REF", "TARGET", "COMPILES", "WHY", "NOTE"}
_SKIPPED = re.compile(
    r'R"(?P<mark>[^\s()\\]{0,16})\((?P<raw>.*?)\)(?P=mark)"'
    r"|//(?:[^\\\n]|\\\r?\n|\\)*|/\*.*?(?:\*/|\Z)"
    r'|"(?P<text>(?:[^"\\\n]|\\.)*)"?'
    r"|(?<![A-Za-z0-9_])'(?P<char>(?:[^'\\\n]|\\.)*)'?",
    re.DOTALL,
)
_DIAGNOSED = re.compile(r"(\S+?):(\d+)(?:-(\d+))?\s+(\S+)(?:\s+>=(\w+))?(?:\s+~(/.*/))?$")


def code_only(text: str) -> str:
    """Return C-like text with comments and quoted texts blank; offsets and line ends stay."""

    def blank(match: re.Match[str]) -> str:
        inside = [match.span(name) for name in ("raw", "text", "char") if match[name] is not None]
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if inside and re.match(r"\s*#\s*include", line):
            return match[0]
        start, end = inside[0] if inside else match.span()
        hidden = re.sub(r"[^\r\n]", " ", text[start:end])
        return text[match.start() : start] + hidden + text[end : match.end()]

    return _SKIPPED.sub(blank, text)


def pattern(written: str) -> re.Pattern[str]:
    """Return the regular expression between slashes."""
    written = written.strip()
    if not (written.startswith("/") and written.endswith("/")):
        raise SystemExit(f"'{written}' is no regular expression between slashes")
    return re.compile(written[1:-1], re.MULTILINE)


class Case:
    """One case directory with what a port made of it."""

    def __init__(self, case: Path, out: Path, diagnostics: list[dict[str, Any]]) -> None:
        self._case = case
        self._out = out
        self._diagnostics = diagnostics
        self._raw = False

    def failures(self) -> Iterator[str]:
        """Yield every assertion of expect.txt that does not hold."""
        branches: list[list[str]] | None = None
        for raw in (self._case / "expect.txt").read_text(encoding="utf-8").splitlines():
            line = raw.strip()
            if not line or line.startswith("#") or line.split()[0] in COMMENTARY:
                continue
            if line.startswith("VIEW "):
                self._raw = line.split()[1] == "raw"
            elif line == "ANY":
                branches = []
            elif line == "END":
                if not any(all(not self._why(a) for a in branch) for branch in branches or ()):
                    yield "ANY " + " | ".join(" && ".join(branch) for branch in branches or ())
                branches = None
            elif branches is not None:
                branches.append([part.strip() for part in line.removeprefix("|").split(" && ")])
            elif why := self._why(line):
                yield f"{line}   -> {why}"

    def _why(self, assertion: str) -> str:
        """Return why an assertion does not hold, an empty string when it does."""
        verb, _, rest = assertion.partition(" ")
        checks = {
            "MUST_CONTAIN": lambda: self._count(rest, 1),
            "MUST_NOT_CONTAIN": lambda: self._count(rest, 0),
            "COUNT": lambda: self._count(*self._split_count(rest)),
            "MUST_DIAGNOSE": lambda: self._diagnosed(rest, wanted=True),
            "MUST_NOT_DIAGNOSE": lambda: self._diagnosed(rest, wanted=False),
            "BYTES": lambda: self._bytes(rest),
            "UNCHANGED": lambda: self._unchanged(rest.strip()),
        }
        if verb not in checks:
            raise SystemExit(f"unknown assertion: {assertion}")
        return checks[verb]()

    @staticmethod
    def _split_count(rest: str) -> tuple[str, int, bool]:
        text, _, number = rest.rpartition(" == ")
        return text, int(number), True

    def _count(self, rest: str, wanted: int, exactly: bool = False) -> str:  # noqa: FBT001, FBT002
        name, _, written = rest.strip().partition(" ")
        text = (self._out / name).read_bytes().decode("latin-1")
        found = len(pattern(written).findall(text if self._raw else code_only(text)))
        holds = found == wanted if exactly or wanted == 0 else found >= wanted
        return "" if holds else f"found {found}"

    def _diagnosed(self, rest: str, *, wanted: bool) -> str:
        match = _DIAGNOSED.match(rest.strip())
        if match is None:
            raise SystemExit(f"unreadable assertion: {rest}")
        file, first, last, topic, severity, message = match.groups()
        hits = [
            d
            for d in self._diagnostics
            if d["file"] == file
            and int(first) <= d["line"] <= int(last or first)
            and topic in ("*", d["topic"])
            and SEVERITIES[d["severity"]] >= SEVERITIES[severity or "warning"]
            and (not message or pattern(message).search(d["message"]))
        ]
        return "" if bool(hits) == wanted else f"{len(hits)} matching"

    def _bytes(self, rest: str) -> str:
        name, what, *argument = rest.split()
        data = (self._out / name).read_bytes()
        wanted = bytes.fromhex(argument[0]) if argument else b""
        holds = {
            "STARTS": data.startswith(wanted),
            "HAS": wanted in data,
            "LACKS": wanted not in data,
            "ONCE": data.count(wanted) == 1,
            "ALL_CRLF": b"\n" in data and not re.search(rb"(?<!\r)\n", data),
            "ALL_LF": b"\r" not in data,
            "NO_FINAL_NEWLINE": not data.endswith(b"\n"),
        }
        return "" if holds[what] else what

    def _unchanged(self, name: str) -> str:
        same = (self._out / name).read_bytes() == (self._case / name).read_bytes()
        return "" if same else "differs"


def main() -> int:
    """Check the case named on the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("case", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--diag", type=Path)
    given = parser.parse_args()
    diagnostics = json.loads(given.diag.read_text(encoding="utf-8")) if given.diag else []
    failed = list(Case(given.case, given.out, diagnostics).failures())
    for line in failed:
        sys.stdout.write(f"FAIL {line}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
