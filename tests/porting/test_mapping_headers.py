"""What the tables say of AMD's headers is what a compiler finds in them."""

import re
import subprocess
from pathlib import Path

from porting.mapping import Name, Names, Status
from porting.toolkits import clang
from porting.toolkits.sysroot import Sysroot

_HEADERS = (
    *("runtime", "fp16", "bf16", "fp8", "cooperative_groups", "complex", "math_constants"),
    *("gl_interop", "profile"),
)
_LIBRARIES = frozenset(("device", "fp16", "bf16", "fp8", "runtime", "driver", "nvrtc"))
# Declared inside another structure, behind one more macro, or for Windows.
_ELSEWHERE = re.compile(r"CUstreamMemOp\w+_st|CUDA_API_PER_THREAD_DEFAULT_STREAM|_wassert")
# HIP defines it as an attribute, which a declaration can't name.
_NO_NAME = "__noinline__"


def _is_read_in_headers(name: Name) -> bool:
    return (
        name.library in _LIBRARIES
        and name.status is not Status.UNSUPPORTED
        and name.kind != "field"
        and "published" not in name.cite  # a header that no wheel carries
        and "::" not in name.name
        and _ELSEWHERE.fullmatch(name.name) is None
        and name.target != _NO_NAME
    )


def _missing(rocm: str, sysroot: Sysroot, folder: Path, *options: str) -> set[str]:
    """Return the CUDA names whose target no header of the tree declares."""
    lines = [f"#include <hip/hip_{header}.h>" for header in _HEADERS]
    lines.append("#include <hip/hiprtc.h>\nnamespace there {")
    lines.extend(
        f"#ifndef {name.target}\nusing ::{name.target};  // {name.name}\n#endif"
        for name in filter(_is_read_in_headers, Names.load(rocm))
    )
    unit = folder / "names.hip"
    unit.write_text("\n".join([*lines, "}\n"]))
    command = [
        *(str(clang.find().path), "-x", "hip", "--offload-arch=gfx942", "--cuda-device-only"),
        *(f"--rocm-path={sysroot.path}", "-isystem", str(sysroot.include), "-fsyntax-only"),
        *("-ferror-limit=0", *options, str(unit)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert "fatal error" not in done.stderr
    source = unit.read_text().splitlines()
    found = re.finditer(r"names\.hip:(\d+):\d+: error", done.stderr)
    return {source[int(match[1]) - 1].partition("// ")[2] for match in found}


def test_every_name_that_headers_are_cited_for_is_in_them(sysroot: Sysroot, tmp_path: Path) -> None:
    assert _missing("7.1", sysroot, tmp_path) == set()


def test_names_that_need_a_macro_before_7_0_say_so(sysroot_6_2: Sysroot, tmp_path: Path) -> None:
    names = Names.load("6.2")
    macro = "HIP_ENABLE_WARP_SYNC_BUILTINS"

    missing = _missing("6.2", sysroot_6_2, tmp_path)

    assert missing
    assert all(macro in record.reason for name in missing if (record := names.get(name)))
    assert _missing("6.2", sysroot_6_2, tmp_path, f"-D{macro}") == set()
