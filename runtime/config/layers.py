"""The layers of settings and what they come to: defaults, file, environment, program, runtime.

The later layer wins. Environment and file are read when a value is first asked for. The program's
layer is what a worker is given by the program that it works for, the runtime's what `configure`
sets in this process.
"""

from __future__ import annotations

from _thread import allocate_lock
from os import environ

from runtime.config.errors import ConfigError
from runtime.config.keys import KEYS, Value, find, unknown
from runtime.config.values import checked, from_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PREFIX = "ECLOSION_"
#: Variables with the prefix that are no settings: the file's name, and what else reads them.
OTHER_VARIABLES = frozenset(
    """
    ECLOSION_CONFIG ECLOSION_RUN ECLOSION_CACHE ECLOSION_NAMES_CACHE ECLOSION_CLANG ECLOSION_GPU
    ECLOSION_REQUIRE_TOOLCHAIN
    """.split()
)


class Configuration:
    """The settings of one process.

    Readers see one whole state or the next: `_view` is replaced and never changed. Writers take
    the lock.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._lock = allocate_lock()
        self._base: dict[str, Value] | None = None
        self._program: dict[str, Value] = {}
        self._runtime: dict[str, Value] = {}
        self._view: dict[str, Value] | None = None
        self._held: dict[str, str] = {}

    def get(self, name: str) -> Value:
        """Return the value of a key; durations are seconds, sizes are bytes."""
        view = self._view or self._load()
        try:
            return view[name]
        except KeyError:
            return view[find(name).name]

    def merged(self) -> dict[str, Value]:
        """Return a copy of all keys with their values."""
        return dict(self._view or self._load())

    def runtime(self) -> dict[str, Value]:
        """Return a copy of what `configure` has set."""
        return dict(self._runtime)

    def configure(self, given: Mapping[str, object]) -> None:
        """Set keys of the runtime's layer, all of them or, when one is wrong, none."""
        values = read(given)
        for name, why in self._held.items():
            if name in values and values[name] != self.get(name):
                raise ConfigError(f"{name}={values[name]!r} would do nothing: {why}")
        with self._lock:
            self._replace(self._program, self._runtime | values)

    def hold(self, names: Iterable[str], why: str) -> None:
        """Have only these keys be refused from now on where `configure` would change them."""
        self._held = dict.fromkeys(names, why)

    def restore(self, values: Mapping[str, Value | None]) -> None:
        """Put keys of the runtime's layer back to these values; None leaves a key unset."""
        kept = {name: value for name, value in self._runtime.items() if name not in values}
        again = {name: value for name, value in values.items() if value is not None}
        with self._lock:
            self._replace(self._program, kept | again)

    def clear(self) -> None:
        """Forget what `configure` has set."""
        with self._lock:
            self._replace(self._program, {})

    def export(self) -> dict[str, Value]:
        """Return what a worker of this program must know: all that was set and that travels."""
        self.merged()
        with self._lock:
            layers = (self._base or {}) | self._program | self._runtime
        return {name: value for name, value in layers.items() if KEYS[name].travels}

    def adopt(self, exported: Mapping[str, object]) -> None:
        """Take the settings of the program that this worker works for.

        Environment and file are read anew: a worker is forked from a process that may have had
        others.
        """
        values = read(exported, " from the program; does it run the same release as this worker?")
        with self._lock:
            self._base = None
            self._replace(values, self._runtime)

    def _load(self) -> dict[str, Value]:
        with self._lock:
            return self._replace(self._program, self._runtime)

    def _replace(self, program: dict[str, Value], runtime: dict[str, Value]) -> dict[str, Value]:
        """Check what the layers come to and make it the state; the caller holds the lock."""
        if self._base is None:
            self._base = from_environment(self._environment)
        defaults = {key.name: key.default for key in KEYS.values()}
        view = defaults | self._base | program | runtime
        require_consistent(view)
        self._program, self._runtime, self._view = program, runtime, view
        return view


def require_consistent(view: Mapping[str, Value]) -> None:
    """Raise ConfigError where two keys do not fit together."""
    interval, timeout = view["heartbeat_interval"], view["heartbeat_timeout"]
    if float(timeout) < 2 * float(interval):  # type: ignore[arg-type]
        raise ConfigError(
            f"heartbeat_timeout={timeout} is less than twice heartbeat_interval={interval}: "
            "one late heartbeat would be taken for a death; raise the one or lower the other"
        )


def read(given: Mapping[str, object], place: str = "") -> dict[str, Value]:
    """Return values by the names of their keys, checked."""
    values: dict[str, Value] = {}
    for name, value in given.items():
        key = find(name, place)
        if key.name in values:
            raise ConfigError(f"{key.name} is set twice{place}, once as '{name}'; set it once")
        values[key.name] = checked(key, value, place)
    return values


def from_environment(environment: Mapping[str, str]) -> dict[str, Value]:
    """Return what the environment sets, on top of the file that ECLOSION_CONFIG names."""
    values: dict[str, Value] = {}
    for variable, text in environment.items():
        if not variable.startswith(PREFIX) or variable in OTHER_VARIABLES:
            continue
        key = KEYS.get(variable[len(PREFIX) :].lower())
        if key is None or variable != variable_of(key.name):
            names = [variable_of(name) for name in KEYS]
            raise ConfigError(unknown(variable, variable, names, " (environment)"))
        values[key.name] = from_text(key, text, f" (environment, {variable})")
    path = environment.get(f"{PREFIX}CONFIG")
    return from_file(path) | values if path else values


def variable_of(name: str) -> str:
    """Return the environment variable of a key."""
    return PREFIX + name.upper()


def from_file(path: str) -> dict[str, Value]:
    """Return what a TOML file sets: keys and values, without tables."""
    import tomllib
    from pathlib import Path

    try:
        document = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"ECLOSION_CONFIG={path} cannot be read: {error}; name a TOML file, or unset it"
        ) from error
    return read(document, f" in {path}")


PROCESS = Configuration(environ)
