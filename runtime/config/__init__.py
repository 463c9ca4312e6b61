"""Settings of the runtime: `configure`, environment, file, and what they come to.

Layers, the later wins: defaults < file (ECLOSION_CONFIG=path, TOML) < environment (ECLOSION_<KEY>)
< what the program gives to its workers < `configure` in this process. An unknown key is an error.
docs/configuration.md lists the keys.
"""

from __future__ import annotations

from runtime.config.errors import ConfigError, ConfigTypeError
from runtime.config.layers import PROCESS
from runtime.config.parametrize import parametrize_config, parametrize_config_pointwise
from runtime.config.temporary import Override

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from runtime.config.keys import Value

__all__ = [
    "ConfigError",
    "ConfigTypeError",
    "adopt",
    "clear_runtime_config",
    "configure",
    "configured",
    "export",
    "get",
    "get_global_config",
    "get_runtime_config",
    "hold",
    "parametrize_config",
    "parametrize_config_pointwise",
]


def configure(**settings: object) -> None:
    """Set keys in this process, all or, where one is wrong, none.

    Raises ConfigError (a ValueError) for an unknown key or a value out of range, ConfigTypeError
    (a TypeError too) for a value of a wrong type.
    """
    PROCESS.configure(settings)


def configured(**settings: object) -> Override:
    """Set keys for the length of a `with` block, which gets the merged settings.

    After it, keys have what they had before, unset where they were unset; other keys that were set
    meanwhile stay. Settings are the process's: other threads see them too.
    """
    return Override(PROCESS, settings)


def get(name: str) -> Any:  # noqa: ANN401  the table says which type a key has
    """Return the value of a key: seconds, bytes, a number, a bool, a str or a tuple of str."""
    return PROCESS.get(name)


def get_global_config() -> dict[str, Value]:
    """Return a copy of all keys with the values that they have now."""
    return PROCESS.merged()


def get_runtime_config() -> dict[str, Value]:
    """Return a copy of what `configure` has set in this process."""
    return PROCESS.runtime()


def clear_runtime_config() -> None:
    """Forget what `configure` has set; environment, file and defaults stay."""
    PROCESS.clear()


def hold(names: Iterable[str], why: str) -> None:
    """Have `configure` refuse these keys, and no others, since it is too late for them."""
    PROCESS.hold(names, why)


def export() -> dict[str, Value]:
    """Return the settings that a program's workers get: all that were set, and that travel."""
    return PROCESS.export()


def adopt(exported: Mapping[str, object]) -> None:
    """Take the settings of the program that this process works for, read environment and file."""
    PROCESS.adopt(exported)
