"""Numbers of enumerators and macros, which stubs do not carry: read from the data files."""

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources

Value = int | str
Values = Mapping[str, Mapping[str, Value]]


@cache
def load(name: str) -> Values:
    """Return module -> name -> value of a data file of `generate_values`."""
    text = resources.files("porting.toolkits").joinpath("data", name).read_text()
    libraries: Values = json.loads(text)["libraries"]
    return libraries
