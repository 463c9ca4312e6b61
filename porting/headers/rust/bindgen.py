"""How a crate's build script has bindgen write its bindings."""

import re
from dataclasses import dataclass

from porting.headers.rust.crates import Crate
from porting.headers.rust.enums import EnumStyle

# From 0.61 on bindgen writes size_t as usize unless it is told not to.
_SIZE_T_IS_USIZE = (0, 61)
_STYLES = {
    EnumStyle.RUST: {"rustified_enum", "rustified_non_exhaustive_enum", "Rust"},
    EnumStyle.NEWTYPE: {"newtype_enum", "bitfield_enum", "NewType"},
    EnumStyle.MODULE: {"constified_enum_module", "ModuleConsts"},
}


@dataclass(frozen=True)
class Bindgen:
    """The settings that decide how CUDA's names look in the crate's code.

    `runs`: bindgen is used at all.  `prefixed`: constants carry their enumeration's name.
    `default`: Default is derived.  `size_t`: the Rust type for it.
    """

    runs: bool = False
    enums: EnumStyle = EnumStyle.CONSTS
    prefixed: bool = True
    default: bool = False
    size_t: str = "usize"


def bindgen_of(crate: Crate) -> Bindgen:
    """Return what a crate's build script says to bindgen."""
    code = crate.script.code if crate.script else ()
    words = {token.name for token in code}
    if "bindgen" not in words:
        return Bindgen()
    said = {
        code[at].name: code[at + 2].text == "true"
        for at in range(len(code) - 2)
        if code[at + 1].text == "(" and code[at + 2].text in ("true", "false")
    }
    style = next((s for s, marks in _STYLES.items() if words & marks), EnumStyle.CONSTS)
    is_usize = said.get("size_t_is_usize", _version(crate) >= _SIZE_T_IS_USIZE)
    return Bindgen(
        runs=True,
        enums=style,
        prefixed=said.get("prepend_enum_name", True),
        default=said.get("derive_default", False),
        size_t="usize" if is_usize else "c_ulong",
    )


def _version(crate: Crate) -> tuple[int, int]:
    """Return bindgen's release by the manifest; the newest where it states none."""
    table = crate.manifest.get("build-dependencies", {})
    stated = table.get("bindgen", "") if isinstance(table, dict) else ""
    text = stated.get("version", "") if isinstance(stated, dict) else stated
    match = re.search(r"(\d+)\.(\d+)", str(text))
    return (int(match[1]), int(match[2])) if match else _SIZE_T_IS_USIZE
