"""`[tool.porting]`: what is read, and what is said of a mistake in it."""

import re
from pathlib import Path

import pytest

from porting.errors import ConfigError
from porting.settings import Settings, load_settings, parse_settings

FILE = Path("pyproject.toml")


def test_load_settings_reads_every_key_when_all_are_given(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        """
[tool.porting]
rocm = "6.4"
arch = ["gfx942", "gfx1100"]
exclude = ["third_party"]
verbatim = ["gen/*.h"]
include-dirs = ["include"]
defines = ["N=1"]
platform-macros = ["MY_HIP"]
hipify-launches = true
ignore = ["BLD001"]
jobs = 3
build-timeout = 60

[tool.porting.per-path-ignore]
"tests/**" = ["WSZ001"]
"""
    )
    assert load_settings(tmp_path) == Settings(
        rocm="6.4",
        arch=("gfx942", "gfx1100"),
        exclude=("third_party",),
        verbatim=("gen/*.h",),
        include_dirs=("include",),
        defines=("N=1",),
        platform_macros=("MY_HIP",),
        hipify_launches=True,
        ignore=("BLD001",),
        per_path_ignore={"tests/**": ("WSZ001",)},
        jobs=3,
        build_timeout=60,
    )


def test_load_settings_looks_beside_the_file_when_the_input_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.porting]\nrocm = "6.2"\n')
    (tmp_path / "a.cu").write_text("")
    assert load_settings(tmp_path / "a.cu").rocm == "6.2"


def test_load_settings_looks_further_up_when_the_input_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "src/gpu/a.cu"
    file.parent.mkdir(parents=True)
    file.write_text("")
    table = "[tool.porting]\ndefines = ['HIPBLAS_V2']\nper-path-ignore = {'src/gpu/**' = ['X']}\n"
    (tmp_path / "pyproject.toml").write_text(table)
    (tmp_path / "src/pyproject.toml").write_text("[project]\nname = 'a part'\n")
    settings = load_settings(file)
    assert settings.defines == ("HIPBLAS_V2",)
    assert settings.ignores("X", "a.cu")


def test_load_settings_takes_the_nearest_table_when_there_are_two(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.porting]\nrocm = '6.2'\njobs = 2\n")
    (tmp_path / "sub/pyproject.toml").write_text("[tool.porting]\nrocm = '7.0'\n")
    (tmp_path / "sub/a.cu").write_text("")
    assert load_settings(tmp_path / "sub/a.cu") == Settings(rocm="7.0")


def test_load_settings_does_not_leave_the_repository(tmp_path: Path) -> None:
    (tmp_path / "repo/.git").mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.porting]\nrocm = '6.2'\n")
    (tmp_path / "repo/a.cu").write_text("")
    assert load_settings(tmp_path / "repo/a.cu") == Settings()


def test_load_settings_takes_a_folders_own_table_alone(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.porting]\nrocm = '6.2'\n")
    (tmp_path / "src").mkdir()
    assert load_settings(tmp_path / "src") == Settings()


@pytest.mark.parametrize("text", [None, "", "[project]\nname = 'x'\n", "[tool.ruff]\nx = 1\n"])
def test_load_settings_says_nothing_when_there_is_no_table(
    tmp_path: Path, text: str | None
) -> None:
    if text is not None:
        (tmp_path / "pyproject.toml").write_text(text)
    assert load_settings(tmp_path) == Settings()


def test_load_settings_names_the_file_when_it_is_no_toml(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text("[tool.porting\n")
    with pytest.raises(ConfigError, match=f"^{re.escape(str(path))} is no valid TOML: .+"):
        load_settings(tmp_path)


def test_load_settings_names_the_file_when_it_is_no_utf8(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(b"# Andr\xe9\n")
    with pytest.raises(ConfigError, match=r"pyproject\.toml is no valid TOML"):
        load_settings(tmp_path)


def test_arch_as_a_string_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"arch is 'gfx90a,gfx942' \(str\); a list of strings"):
        parse_settings({"arch": "gfx90a,gfx942"}, FILE)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"rocm": 7.1}, r"rocm is 7\.1 \(float\); a string is needed"),
        ({"exclude": "x"}, r"exclude is 'x' \(str\); a list of strings is needed"),
        ({"defines": [1]}, r"defines is \[1\] \(list\); a list of strings is needed"),
        ({"jobs": 0}, r"jobs is 0 \(int\); a whole number from 1 is needed"),
        ({"hipify-launches": 1}, r"hipify-launches is 1 \(int\); true or false is needed"),
        ({"build-timeout": 0}, r"build-timeout is 0 \(int\); a whole number from 1 is needed"),
        ({"build-timeout": 1.5}, r"build-timeout is 1\.5 \(float\); a whole number from 1"),
        ({"build-timeout": 10**400}, r"build-timeout is 10+; a number of seconds to 31622400 is"),
        ({"jobs": True}, r"jobs is True \(bool\); a whole number from 1 is needed"),
        ({"per-path-ignore": ["x"]}, r"per-path-ignore is \['x'\] \(list\); a table"),
        ({"per-path-ignore": {"a": "X"}}, r"per-path-ignore\.'a' is 'X' \(str\); a list"),
    ],
)
def test_parse_settings_names_key_and_value_when_the_type_is_wrong(
    table: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigError, match=rf"^pyproject\.toml: \[tool\.porting\] {message}"):
        parse_settings(table, FILE)


def test_parse_settings_names_the_nearest_key_when_one_is_unknown() -> None:
    expected = r"^pyproject\.toml: \[tool\.porting\] has no key 'exclud' \(did you mean 'exclude'"
    with pytest.raises(ConfigError, match=expected):
        parse_settings({"exclud": []}, FILE)


def test_parse_settings_says_so_when_the_table_is_none() -> None:
    with pytest.raises(ConfigError, match=r"^pyproject\.toml: tool\.porting is no table$"):
        parse_settings([1], FILE)


def test_ignores_follows_the_patterns_when_a_code_is_ignored_per_path() -> None:
    settings = Settings(ignore=("AAA001",), per_path_ignore={"tests": ("BBB001",)})
    assert settings.ignores("AAA001", "src/a.cu")
    assert settings.ignores("BBB001", "tests/a.cu")
    assert not settings.ignores("BBB001", "src/a.cu")


def test_check_codes_names_the_code_when_it_does_not_exist() -> None:
    settings = Settings(per_path_ignore={"a": ("NAM01",)})
    message = r"^\[tool\.porting\] ignores NAM01, which is no code .*did you mean 'NAM001'"
    with pytest.raises(ConfigError, match=message):
        settings.check_codes(frozenset(["NAM001"]))
