r"""Write data/*.json, the declarations of the C interfaces, by running bindgen on their headers.

ci/rust_api.sh runs this with the headers of pinned wheels.  Each --set is a name for the report and
the include folders of one release; where releases differ the set named first wins.  bindgen 0.60
needs libclang 15 or older.  Names, numbers and layouts are facts of the interfaces; comments and
everything else in the headers are left out.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from porting.headers.rust.items import Items
from porting.headers.rust.lexer import number_value
from porting.headers.rust.reader import read_items

_LAYOUT = re.compile(r"fn bindgen_test_layout_(\w+)\(\s*\) \{(.*?)\n\}\n", re.DOTALL)
_SIZE = re.compile(r"size_of::<[^>]*>\(\s*\),\s*(\d+)usize")
_ALIGN = re.compile(r"align_of::<[^>]*>\(\s*\),\s*(\d+)usize")
_OFFSET = re.compile(r"addr_of!\(\(\*ptr\)\.(\w+)\) as usize - ptr as usize\s*\},\s*(\d+)usize")
_TYPE_NAME = re.compile(r"[A-Za-z_]\w*")
_MACRO = re.compile(r"#define (\w+) (\w+)$", re.MULTILINE)

Api = dict[str, dict[str, Any]]


def read_bindings(text: str) -> Api:
    """Return what bindgen wrote (its default style, layout tests included) as plain data."""
    items = read_items(text)
    aliases = {a.name.name: _bare(a.target) for a in items.aliases}
    aliases |= {u.alias: u.path[-1].name for u in items.uses if u.alias}
    enums = _enums(items, aliases)
    return {
        "functions": dict(sorted(_functions(items))),
        "types": {k: v for k, v in sorted(aliases.items()) if k not in enums},
        "enums": enums,
        "constants": _constants(items, enums),
        "records": dict(sorted(_records(items, text))),
    }


def _bare(kind: str) -> str:
    short = re.sub(r"\bsize_t\b", "usize", re.sub(r"::std::(os::raw|option)::", "", kind))
    return short.replace(",)", ")").replace(",>", ">")


def _functions(items: Items) -> Iterator[tuple[str, list[str]]]:
    for block in items.blocks:
        for function in block.functions:
            inputs = [text for p in function.parameters for text in (p.name, _bare(p.type))]
            yield function.name.name, [_bare(function.result), *inputs]


def _enums(items: Items, aliases: Mapping[str, str]) -> Api:
    """Collect enumerations: integer types with constants named `type_enumerator`."""
    found: Api = {}
    for constant in items.constants:
        kind, name = constant.type, constant.name.name
        if kind in aliases and name.startswith(f"{kind}_"):
            enum = found.setdefault(kind, {"repr": aliases[kind], "values": {}})
            enum["values"][name.removeprefix(f"{kind}_")] = _integer(constant.value)
    return dict(sorted(found.items()))


def _constants(items: Items, enums: Api) -> Api:
    """Collect macros with a number, and enumerators of enumerations without a name."""
    found: Api = {}
    for constant in items.constants:
        name, kind = constant.name.name, _bare(constant.type)
        value = _integer(constant.value)
        if constant.type in enums or value is None:
            continue
        bare = re.sub(r"^_bindgen_ty_\d+_", "", name)
        found[bare] = ["c_uint" if kind.startswith("_bindgen_ty") else kind, value]  # type: ignore[assignment]
    return dict(sorted(found.items()))


def _integer(value: Sequence[Any]) -> int | None:
    negative = value[0].text == "-"
    number = number_value(value[-1]) if len(value) == 1 + negative else None
    return None if number is None else -number if negative else number


def _records(items: Items, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    layouts = dict(_LAYOUT.findall(text))
    for record in items.records:
        name = record.name.name
        if name.startswith("__Bindgen"):
            continue
        names = [f.name for f in record.fields]
        if names == ["_unused"]:
            yield name, {"keyword": "opaque"}
            continue
        body = layouts.get(name, "")
        size, align = _SIZE.search(body), _ALIGN.search(body)
        if size is None or align is None:
            continue
        offsets = dict(_OFFSET.findall(body))
        fields = [
            [f.name, _bare(f.type), int(offsets.get(f.name, 0))]
            for f in record.fields
            if not any(x.startswith("_bitfield") for x in names)
        ]
        yield (
            name,
            {
                "keyword": record.keyword if fields else "blob",
                "size": int(size[1]),
                "align": int(align[1]),
                "fields": fields,
            },
        )


def _bindgen(arguments: argparse.Namespace, folders: Sequence[str]) -> tuple[str, str]:
    """Return bindgen's text and the macros that stand for another name."""
    pattern = rf"_?({arguments.prefix})\w*"
    options = ["--no-doc-comments"]
    for kind in ("function", "type", "var"):
        options += [f"--allowlist-{kind}", pattern]
    clang = [*(f"-I{folder}" for folder in folders), *(f"-D{d}" for d in arguments.define)]
    with tempfile.TemporaryDirectory() as scratch:
        wrapper = Path(scratch) / "wrapper.h"
        wrapper.write_text("".join(f"#include <{h}>\n" for h in arguments.header))
        bound = _run(["bindgen", str(wrapper), *options, "--", *clang])
        macros = _run(["clang-19", "-E", "-dM", *clang, str(wrapper)])
    return bound, macros


def _run(command: Sequence[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def _aliases(macros: str, api: Api, prefix: str) -> dict[str, str]:
    """Return macros that stand for a function or type under another name."""
    names = {*api["functions"], *api["records"], *api["types"]}
    wanted = re.compile(rf"({prefix})\w*")
    return {
        name: target
        for name, target in sorted(_MACRO.findall(macros))
        if target in names and wanted.fullmatch(name)
    }


def merge(first: Api, other: Api) -> Api:
    """Add what only the other release declares."""
    return {
        section: dict(sorted(({**other.get(section, {}), **first[section]}).items()))
        for section in first
    }


def reachable(api: Api, wanted: set[str]) -> Api:
    """Keep the wanted names and the types that they need."""
    needed, todo = set(wanted), list(wanted)
    mentions = _mentions(api)
    while todo:
        for name in mentions.get(todo.pop(), ()):
            if name not in needed:
                needed.add(name)
                todo.append(name)
    return {
        section: {k: v for k, v in entries.items() if k in needed or section == "macros"}
        for section, entries in api.items()
    }


def _mentions(api: Api) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for section in ("functions", "types", "records"):
        for name, entry in api[section].items():
            found.setdefault(name, set()).update(_TYPE_NAME.findall(json.dumps(entry)))
    for enum, entry in api["enums"].items():
        for enumerator in entry["values"]:
            found.setdefault(enumerator, set()).add(enum)
    return found


def write(api: Api, source: Sequence[str]) -> str:
    """Return the file: one declaration a line, so that a change shows as what it is."""
    lines = ["{", f' "source": {json.dumps(list(source))}']
    for section, entries in api.items():
        rows = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in entries.items())
        lines[-1] += ","
        lines.append(f' "{section}": {{\n{rows}\n }}')
    return "\n".join([*lines, "}", ""])


def main(arguments: Sequence[str]) -> int:
    """Write the file that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--header", action="append", default=[])
    parser.add_argument("--prefix", required=True)
    parser.add_argument("--define", action="append", default=[])
    parser.add_argument("--set", action="append", default=[], dest="sets")
    parser.add_argument("--mapped", action="store_true", help="keep what the name tables map")
    options = parser.parse_args(arguments)
    api, sources = _collect(options)
    if options.mapped:
        api = reachable(api, _with_versions(api, _mapped()))
    options.output.write_text(write(api, sources))
    return 0


def _collect(options: argparse.Namespace) -> tuple[Api, list[str]]:
    api: Api = {}
    sources = []
    for text in options.sets:
        label, _, folders = text.rpartition("=")
        bound, macros = _bindgen(options, folders.split(":"))
        one = read_bindings(bound)
        one["macros"] = _aliases(macros, one, options.prefix)
        api = merge(api, one) if api else one
        sources.append(label)
    return api, sources


def _with_versions(api: Api, wanted: set[str]) -> set[str]:
    """Add what a macro makes of a name, and the suffixed forms of a function."""
    names = {name for name in api["functions"] if re.sub(r"_v\d+$", "", name) in wanted}
    return wanted | names | {t for name, t in api["macros"].items() if name in wanted}


def _mapped() -> set[str]:
    from porting.mapping import Names, Status, releases

    found: set[str] = set()
    for release in releases():
        names = Names.load(release.name)
        for name in names:
            if name.status is not Status.UNSUPPORTED:
                found |= {name.name, name.target or ""}
    return found


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
