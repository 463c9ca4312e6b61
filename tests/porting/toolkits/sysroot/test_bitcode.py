"""The control libraries that clang links into device code."""

import pytest

from porting.toolkits.sysroot import Sysroot
from porting.toolkits.sysroot.bitcode import control_libraries, isa_version


@pytest.mark.parametrize(
    ("arch", "number"),
    [("gfx900", 9000), ("gfx90a", 9010), ("gfx942", 9402), ("gfx1100", 11000), ("gfx1201", 12001)],
)
def test_isa_version_when_asked(arch: str, number: int) -> None:
    assert isa_version(arch) == number


def test_isa_version_when_no_architecture() -> None:
    with pytest.raises(ValueError, match=r"^'sm_90' is not an AMD GPU architecture$"):
        isa_version("sm_90")


def test_libraries_when_listed() -> None:
    libraries = control_libraries()
    assert libraries["oclc_wavefrontsize64_on"] == ("__oclc_wavefrontsize64", "i8", 1)
    assert libraries["oclc_wavefrontsize64_off"] == ("__oclc_wavefrontsize64", "i8", 0)
    assert libraries["oclc_isa_version_90a"] == ("__oclc_ISA_version", "i32", 9010)
    assert libraries["oclc_abi_version_600"] == ("__oclc_ABI_version", "i32", 600)


def test_libraries_when_in_a_tree(sysroot: Sysroot) -> None:
    expected = {f"{stem}.bc" for stem in control_libraries()} | {"ocml.bc", "ockl.bc"}
    assert {path.name for path in sysroot.bitcode.iterdir()} == expected
    assert all(path.read_bytes()[:4] == b"BC\xc0\xde" for path in sysroot.bitcode.iterdir())
