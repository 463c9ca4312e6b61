"""Settings: values in every form, the order of the layers, and errors that say what was meant."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime import config
from runtime.config import ConfigError, ConfigTypeError
from runtime.config.keys import KEYS, Key
from runtime.config.layers import OTHER_VARIABLES, PREFIX, Configuration, variable_of
from runtime.config.reference import as_markdown
from runtime.config.values import checked, from_text, shown

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def no_settings_of_other_tests() -> Iterator[None]:
    yield
    config.clear_runtime_config()


def configuration(**variables: object) -> Configuration:
    """Return a configuration of an environment of its own."""
    return Configuration({f"ECLOSION_{name}": str(value) for name, value in variables.items()})


@pytest.mark.parametrize(
    ("given_value", "seconds"),
    [
        (2, 2.0),
        (0.25, 0.25),
        ("30", 30.0),
        ("500ms", 0.5),
        ("30s", 30.0),
        ("5m", 300.0),
        ("1h 30m", 5400.0),
        (" 1 min 0.5s ", 60.5),
        (timedelta(minutes=2), 120.0),
    ],
)
def test_duration_when_written_in_any_form(given_value: object, seconds: float) -> None:
    value = checked(KEYS["spawn_timeout"], given_value)
    assert value == pytest.approx(seconds)
    assert type(value) is float


@pytest.mark.parametrize(
    ("given_value", "size"),
    [(65536, 65536), ("64KiB", 65536), ("64k", 65536), ("1.5 MiB", 1572864), ("10GB", 10**10)],
)
def test_size_when_written_in_any_form(given_value: object, size: int) -> None:
    value = checked(KEYS["max_frame"], given_value)
    assert (value, type(value)) == (size, int)


@pytest.mark.parametrize(
    ("text", "names"), [("torch, numpy", ("torch", "numpy")), (["torch"], ("torch",)), ("", ())]
)
def test_names_when_written_in_any_form(text: object, names: tuple[str, ...]) -> None:
    assert checked(KEYS["preload"], text) == names


def test_text_when_it_is_a_path() -> None:
    assert checked(KEYS["secret_file"], Path("/etc/secret")) == "/etc/secret"


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("send_timeout", "soon", r"send_timeout='soon' is not a duration: seconds \(30\), or .*"),
        ("send_timeout", "3 parsecs", r"send_timeout='3 parsecs' is not a duration: .*"),
        ("send_timeout", "-3s", r"send_timeout='-3s' is not a duration: .*"),
        ("send_timeout", float("nan"), r"send_timeout=nan is not a duration: .*"),
        ("send_timeout", float("inf"), r"send_timeout=inf is not a duration: .*"),
        ("send_timeout", -1, r"send_timeout=-1 is out of range; it can be 0s to 1e\+09s"),
        ("send_timeout", 10**12, r"send_timeout=10+ is out of range; .*"),
        ("max_frame", "1.0001KiB", r"max_frame='1\.0001KiB' is not a size: bytes \(65536\), or .*"),
        ("max_frame", 10, r"max_frame=10 is out of range; it can be 64KiB to \d+B"),
        ("mailbox_capacity", 0, r"mailbox_capacity=0 is out of range; it can be 1 to \d+"),
    ],
)
def test_configure_when_a_value_cannot_be(key: str, value: object, message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{message}$") as caught:
        config.configure(**{key: value})
    assert not isinstance(caught.value, TypeError)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("mailbox_capacity", "5"),
        ("mailbox_capacity", 5.0),
        ("mailbox_capacity", True),
        ("mailbox_capacity", None),
        ("send_timeout", True),
        ("send_timeout", [1]),
        ("max_frame", 1e9),
        ("log_forwarding", 1),
        ("log_forwarding", "true"),
        ("transport", 3),
        ("preload", 3),
    ],
)
def test_configure_when_a_type_is_wrong(key: str, value: object) -> None:
    before = config.get(key)
    with pytest.raises(ConfigTypeError, match=f"^{key}={re.escape(repr(value))} is not "):
        config.configure(**{key: value})
    assert config.get(key) == before


def test_configure_when_a_key_is_unknown() -> None:
    with pytest.raises(
        ConfigError,
        match=r"^there is no setting 'mailbox_capacty'; did you mean 'mailbox_capacity'\?$",
    ):
        config.configure(mailbox_capacty=5)
    with pytest.raises(ConfigError, match=r"^there is no setting 'zzz'; docs/config.* lists all"):
        config.get("zzz")


def test_configure_when_one_of_two_is_wrong() -> None:
    with pytest.raises(ConfigError):
        config.configure(tail_lines=5, mailbox_capacity=0)
    assert config.get_runtime_config() == {}


def test_configure_when_two_keys_do_not_fit() -> None:
    with pytest.raises(ConfigError, match=r"^heartbeat_timeout=0\.1 is less than twice heartbeat_"):
        config.configure(heartbeat_timeout=0.1)
    config.configure(heartbeat_timeout=0.1, heartbeat_interval=0.05)
    assert config.get("heartbeat_timeout") == 0.1


def test_configure_when_a_name_is_the_peers() -> None:
    config.configure(message_delivery_timeout="5s", enable_log_forwarding=False)
    assert (config.get("send_timeout"), config.get("message_delivery_timeout")) == (5.0, 5.0)
    assert config.get_runtime_config() == {"send_timeout": 5.0, "log_forwarding": False}
    with pytest.raises(ConfigError, match=r"^send_timeout is set twice, once as 'send_timeout'; "):
        config.configure(message_delivery_timeout=1, send_timeout=2)


def test_configured_when_left() -> None:
    config.configure(tail_lines=5)
    with config.configured(tail_lines=6, mailbox_capacity=7) as view:
        assert (view["tail_lines"], view["mailbox_capacity"], view["stuck_after"]) == (6, 7, 60)
        with config.configured(tail_lines=8):
            assert config.get("tail_lines") == 8
        assert config.get("tail_lines") == 6
        config.configure(stuck_after=9)
    assert config.get_runtime_config() == {"tail_lines": 5, "stuck_after": 9}


def test_configured_when_the_block_raises() -> None:
    with pytest.raises(KeyError), config.configured(tail_lines=6):
        raise KeyError
    assert config.get_runtime_config() == {}


def test_views_when_changed_by_their_reader() -> None:
    config.get_global_config()["tail_lines"] = 999
    config.get_runtime_config()["tail_lines"] = 999
    assert config.get("tail_lines") == 20


def test_layers_when_all_set_one_key(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('send_timeout = "2s"\npreload = ["json"]\ntail_lines = 3\n')
    its = configuration(CONFIG=file, SEND_TIMEOUT="1s", STUCK_AFTER="4s")
    assert (its.get("send_timeout"), its.get("stuck_after")) == (1.0, 4)
    assert (its.get("preload"), its.get("tail_lines")) == (("json",), 3)
    its.adopt({"send_timeout": 3.0, "stuck_after": 5})
    assert (its.get("send_timeout"), its.get("tail_lines")) == (3.0, 3)
    its.configure({"send_timeout": 4})
    assert (its.get("send_timeout"), its.get("stuck_after")) == (4.0, 5)
    its.clear()
    assert its.get("send_timeout") == 3.0


def test_configure_when_it_is_too_late_for_a_key() -> None:
    its = configuration(TRACE_FILE="a.json")
    its.hold(("trace_file",), "it was taken before")
    its.configure({"trace_file": "a.json", "tail_lines": 7})
    with pytest.raises(
        ConfigError, match=r"^trace_file='b.json' would do nothing: it was taken before$"
    ):
        its.configure({"trace_file": "b.json", "tail_lines": 8})
    assert its.get("tail_lines") == 7
    its.hold((), "")
    its.configure({"trace_file": "b.json"})


@pytest.mark.parametrize(
    ("variable", "text", "value"),
    [
        ("ECLOSION_TAIL_LINES", " 7 ", 7),
        ("ECLOSION_LOG_FORWARDING", "0", False),
        ("ECLOSION_LOG_FORWARDING", "Yes", True),
        ("ECLOSION_MAX_FRAME", "1GiB", 1 << 30),
        ("ECLOSION_TRANSPORT", "tcp", "tcp"),
    ],
)
def test_environment_when_it_sets_a_key(variable: str, text: str, value: object) -> None:
    assert Configuration({variable: text}).merged()[variable[9:].lower()] == value


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        (
            {"ECLOSION_TAIL_LINE": "1"},
            r"there is no setting 'ECLOSION_TAIL_LINE' .*; did you mean 'ECLOSION_TAIL_LINES'\?",
        ),
        (
            {"ECLOSION_TAIL_LINES": "many"},
            r"tail_lines='many' \(environment, ECLOSION_TAIL_LINES\) is not a whole number",
        ),
        (
            {"ECLOSION_LOG_FORWARDING": "maybe"},
            r"log_forwarding='maybe' \(environment, ECLOSION_LOG_FORWARDING\) is not a flag: .*",
        ),
        ({"ECLOSION_send_timeout": "1"}, r"there is no setting 'ECLOSION_send_timeout' .*"),
        ({"ECLOSION_CONFIG": "/nowhere/at.toml"}, r"ECLOSION_CONFIG=/nowhere/at.toml cannot .*"),
    ],
)
def test_environment_when_it_is_wrong(environment: Mapping[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{message}$"):
        Configuration(environment).get("tail_lines")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tail_lines = [", r"ECLOSION_CONFIG=.*settings\.toml cannot be read: .*"),
        ("tail_line = 1", r"there is no setting 'tail_line' in .*; did you mean 'tail_lines'\?"),
        ('tail_lines = "1"', r"tail_lines='1' in .*settings\.toml is not a whole number"),
        ("[runtime]\ntail_lines = 1", r"there is no setting 'runtime' in .*"),
    ],
)
def test_file_when_it_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=f"^{message}$"):
        configuration(CONFIG=file).get("tail_lines")


def test_export_when_a_worker_adopts_it() -> None:
    program = configuration(TAIL_LINES="7", SECRET_FILE=Path("/here"))
    program.configure({"send_timeout": "2s"})
    assert program.export() == {"tail_lines": 7, "send_timeout": 2.0}
    worker = configuration(SECRET_FILE=Path("/there"), SEND_TIMEOUT="9s")
    worker.adopt(program.export())
    mine = {name: worker.get(name) for name in ("tail_lines", "send_timeout", "secret_file")}
    assert mine == {"tail_lines": 7, "send_timeout": 2.0, "secret_file": "/there"}
    assert worker.export() == program.export()


def test_adopt_when_the_environment_has_changed_since_the_fork() -> None:
    environment = {"ECLOSION_TAIL_LINES": "1"}
    worker = Configuration(environment)
    assert worker.get("tail_lines") == 1
    environment["ECLOSION_TAIL_LINES"] = "2"
    worker.adopt({})
    assert worker.get("tail_lines") == 2


def test_adopt_when_the_program_is_newer() -> None:
    with pytest.raises(ConfigError, match=r"^there is no setting 'qqq' from the program; does it "):
        configuration().adopt({"qqq": 1})


@given(st.sampled_from(list(KEYS.values())), st.data())
def test_value_when_shown_and_read_again(key: Key, data: st.DataObject) -> None:
    strategies: dict[str, st.SearchStrategy[Any]] = {
        "duration": st.integers(1, 99999).map(lambda tenths: tenths / 10),
        "size": st.integers(1 << 16, 1 << 50),
        "count": st.integers(2, 10_000),
        "flag": st.booleans(),
        "text": st.sampled_from(key.choices or ("some text",)),
        "names": st.just(("a", "b.c")),
    }
    value = checked(key, data.draw(strategies[key.kind]))
    assert from_text(key, shown(key, value), "") == value
    assert checked(key, value) == value


@pytest.mark.parametrize("key", KEYS.values(), ids=lambda key: key.name)
def test_default_when_checked(key: Key) -> None:
    assert checked(key, key.default) == key.default
    assert type(checked(key, key.default)) is type(key.default)


def test_import_when_measured() -> None:
    """Every process pays for it: nothing but a handful of small modules of ours is loaded."""
    code = (
        "import os, sys; old = set(sys.modules); import runtime.config as c; c.get('transport'); "
    )
    code += "print(*sorted(set(sys.modules) - old))"
    variables = {name: text for name, text in os.environ.items() if not name.startswith(PREFIX)}
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env=variables,
    )
    loaded = {name for name in done.stdout.split() if not name.startswith("runtime")}
    assert loaded <= {"__future__"}


def test_page_when_the_table_changes() -> None:
    """Rewrite the end of docs/configuration.md with what `python -m runtime.config` prints."""
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert page.partition("`python -m runtime.config` -->\n\n")[2] == as_markdown()


def test_variables_when_the_project_reads_them() -> None:
    """A variable of ours that the runtime took for a misspelt key would stop every program."""
    found = set()
    for path in [*(ROOT / "runtime").rglob("*.py"), *(ROOT / "porting").rglob("*.py")]:
        for line in path.read_text(encoding="utf-8").splitlines():
            if "environ" in line or "getenv" in line:
                found |= set(re.findall(r"ECLOSION_[A-Z_]+", line))
    assert "ECLOSION_CACHE" in found
    assert found - OTHER_VARIABLES - {variable_of(name) for name in KEYS} == set()


@config.parametrize_config(tail_lines={1, 2}, prefix_with_rank={True, False})
def test_parametrize_when_values_are_combined(tmp_path: Path) -> None:
    assert tmp_path.is_dir()
    values = config.get_runtime_config()
    assert values.keys() == {"tail_lines", "prefix_logs"}
    assert values["tail_lines"] in {1, 2}


class TestMethods:
    """A decorated method takes its instance too."""

    @config.parametrize_config_pointwise(tail_lines=[1, 2], mailbox_capacity=[10, 20])
    def test_pointwise_when_values_are_paired(self) -> None:
        assert config.get("mailbox_capacity") == 10 * config.get("tail_lines")


def test_parametrize_when_a_key_is_unknown() -> None:
    with pytest.raises(ConfigError, match=r"^there is no setting 'tail_line'"):
        config.parametrize_config(tail_line={1})
    with pytest.raises(ConfigError, match=r"^sequences of one length are needed, these are "):
        config.parametrize_config_pointwise(tail_lines=[1], mailbox_capacity=[1, 2])


def test_parametrize_when_it_decorates() -> None:
    @config.parametrize_config(tail_lines={30, 4}, transport=["unix"])
    def function() -> None: ...

    (mark,) = function.pytestmark  # type: ignore[attr-defined]
    assert mark.kwargs["ids"] == [
        "tail_lines=30,transport=unix",
        "tail_lines=4,transport=unix",
    ]


def test_parametrize_when_the_test_is_a_coroutine() -> None:
    @config.parametrize_config(tail_lines={3})
    async def function() -> object:
        return config.get("tail_lines")

    coroutine = function(settings_of_this_run={"tail_lines": 3})
    with pytest.raises(StopIteration) as done:
        coroutine.send(None)
    assert done.value.value == 3
    assert config.get("tail_lines") == 20
