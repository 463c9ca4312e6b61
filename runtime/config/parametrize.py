"""Decorators that run a pytest test once per setting; pytest is imported when one is used."""

from __future__ import annotations

from runtime.config.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    Test = Callable[..., Any]

_ARGUMENT = "settings_of_this_run"


def parametrize_config(**choices: Iterable[object]) -> Callable[[Test], Test]:
    """Run a test under every combination of these values."""
    from itertools import product

    # A set has another order in every process, and pytest-xdist compares the orders.
    columns = [
        sorted(values, key=repr) if isinstance(values, set | frozenset) else list(values)
        for values in choices.values()
    ]
    return _over([dict(zip(choices, row, strict=True)) for row in product(*columns)])


def parametrize_config_pointwise(**columns: Sequence[object]) -> Callable[[Test], Test]:
    """Run a test once per position of these sequences, which have one length."""
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ConfigError(f"sequences of one length are needed, these are {lengths}")
    rows = zip(*columns.values(), strict=True)
    return _over([dict(zip(columns, row, strict=True)) for row in rows])


def _over(rows: list[dict[str, object]]) -> Callable[[Test], Test]:
    import pytest

    from runtime.config.layers import read

    for row in rows:
        read(row)
    names = [",".join(f"{name}={value}" for name, value in row.items()) for row in rows]

    def decorate(test: Test) -> Test:
        return pytest.mark.parametrize(_ARGUMENT, rows, ids=names)(_wrapped(test))

    return decorate


def _wrapped(test: Test) -> Test:
    """Return the test as one that takes its settings as an argument and runs under them."""
    import inspect
    from functools import wraps

    from runtime.config import configured

    if inspect.iscoroutinefunction(test):

        @wraps(test)
        async def run_async(*args: object, **kwargs: Any) -> object:  # noqa: ANN401
            with configured(**kwargs.pop(_ARGUMENT)):
                return await test(*args, **kwargs)

        wrapper: Test = run_async
    else:

        @wraps(test)
        def run(*args: object, **kwargs: Any) -> object:  # noqa: ANN401
            with configured(**kwargs.pop(_ARGUMENT)):
                return test(*args, **kwargs)

        wrapper = run
    signature = inspect.signature(test)
    extra = inspect.Parameter(_ARGUMENT, inspect.Parameter.KEYWORD_ONLY)
    parameters = [*signature.parameters.values(), extra]
    wrapper.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return wrapper
