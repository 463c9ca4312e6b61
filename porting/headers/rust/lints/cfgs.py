"""Conditions on features and cfgs that nobody declares."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from porting.diagnostics import Diagnostic
from porting.headers.rust.codes import UNDECLARED_CFG, UNDECLARED_FEATURE
from porting.headers.rust.crates import CFG, Crate
from porting.headers.rust.lexer import Kind, Token, string_value
from porting.headers.rust.spelling import bracketed

# The compiler's own, and those that its tools set.  Source: the Rust Reference, "Conditional
# compilation", and the list that rustc prints for --print check-cfg.
_KNOWN = frozenset(
    (
        *("all", "any", "not", "true", "false", "feature", "test", "doc", "doctest", "miri"),
        *("debug_assertions", "overflow_checks", "ub_checks", "proc_macro", "panic", "unix"),
        *("windows", "clippy", "rustfmt", "sanitize", "relocation_model", "fmt_debug"),
        *("target_abi", "target_arch", "target_endian", "target_env", "target_family"),
        *("target_feature", "target_has_atomic", "target_os", "target_pointer_width"),
        *("target_vendor", "target_thread_local", "version", "accessible", "docsrs"),
    )
)
_SET = re.compile(r"cargo::?rustc-cfg=([A-Za-z_]\w*)")
_ANNOUNCED = re.compile(r"(?:cargo::?rustc-check-cfg=)?cfg\(([^)]*)")


def check_cfgs(crate: Crate) -> Iterator[Diagnostic]:
    """Yield a finding for each feature and cfg that is asked for and declared nowhere."""
    announced = _announced(crate)
    for file in crate.files:
        for condition in _conditions(file.code):
            for name, value in _asked(condition):
                if name.name == "feature" and value is not None:
                    feature = string_value(value)
                    if feature not in crate.features:
                        yield _feature(crate, file.path, value, feature)
                elif name.name not in _KNOWN and name.name not in announced:
                    yield UNDECLARED_CFG.at(
                        file.path,
                        f"cfg({name.name}) is neither the compiler's nor set by the build script",
                        f"print cargo:rustc-check-cfg=cfg({name.name}) in build.rs, and"
                        f" cargo:rustc-cfg={name.name} where it holds",
                        line=name.line,
                        column=name.column,
                    )


def _feature(crate: Crate, path: str, value: Token, feature: str) -> Diagnostic:
    known = ", ".join(sorted(crate.features)) or "none"
    return UNDECLARED_FEATURE.at(
        path,
        f'the feature "{feature}" is not in Cargo.toml of {crate.name} (there: {known})',
        f"add `{feature} = []` to [features], or mend the name",
        line=value.line,
        column=value.column,
    )


def _conditions(code: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield what is between the brackets of `cfg(...)`, `cfg!(...)` and `cfg_attr(...)`."""
    for at, token in enumerate(code[:-2]):
        opening = at + 1 + (code[at + 1].text == "!")
        if token.name == "cfg" and code[opening].text == "(":
            yield code[opening + 1 : bracketed(code, opening)]
        elif token.name == "cfg_attr" and code[at + 1].text == "(":
            inside = code[at + 2 : bracketed(code, at + 1)]
            yield inside[: _first_comma(inside)]


def _first_comma(code: Sequence[Token]) -> int:
    depth = 0
    for at, token in enumerate(code):
        depth += (token.text == "(") - (token.text == ")")
        if token.text == "," and depth == 0:
            return at
    return len(code)


def _asked(condition: Sequence[Token]) -> Iterator[tuple[Token, Token | None]]:
    """Yield each name in a condition with the value that it is compared with."""
    for at, token in enumerate(condition):
        if token.kind is not Kind.IDENT:
            continue
        rest = condition[at + 1 : at + 3]
        compared = len(rest) == 2 and rest[0].text == "="  # noqa: PLR2004 - `= "value"`
        yield token, rest[1] if compared else None


def _announced(crate: Crate) -> frozenset[str]:
    """Return the cfgs that the build script or the manifest announces."""
    texts = [
        string_value(token)
        for token in (crate.script.code if crate.script else ())
        if token.kind in (Kind.STRING, Kind.RAW_STRING)
    ]
    texts += _check_cfg(crate.manifest)
    # The build script of a ported crate sets this one.
    found: set[str] = {CFG} if crate.script else set()
    for text in texts:
        found.update(_SET.findall(text))
        if "cfg(" in text:
            for inside in _ANNOUNCED.findall(text):
                found.update(re.findall(r"[A-Za-z_]\w*", inside))
    return frozenset(found)


def _check_cfg(manifest: Mapping[str, Any]) -> list[str]:
    """Return what [lints.rust] says in unexpected_cfgs."""
    table: object = manifest
    for key in ("lints", "rust", "unexpected_cfgs", "check-cfg"):
        table = table.get(key) if isinstance(table, dict) else None
    return [text for text in table if isinstance(text, str)] if isinstance(table, list) else []
