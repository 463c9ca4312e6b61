"""A project's own names: the JSON file of hipify_torch that says what becomes of them."""

import re
from collections.abc import Mapping
from pathlib import Path

from porting.errors import ConfigError, InputError
from porting.hipify_torch.json_file import read_object

# The name that hipify_torch looks for, and the one that its README gives.
_NAMES = ("custom_hipify_mappings.json", "custom_hipify_mapping.json")


def find_custom_map(given: str, project: Path) -> Path | None:
    """Return the file to read: `given`, or the one of that name in the project or here, or None.

    Raises InputError when the file that was given does not exist.
    """
    if given:
        path = Path(given)
        if not path.is_file():
            raise InputError(
                f"the custom mapping {given} is no file; check the path, "
                f"seen from {Path.cwd()}, or leave it out"
            )
        return path
    places = (folder / name for folder in (project, Path.cwd()) for name in _NAMES)
    return next((path for path in places if path.is_file()), None)


def read_custom_map(path: Path) -> Mapping[str, str]:
    """Return what becomes of each text.  Raises ConfigError for a file of another shape."""
    table = read_object(path).get("custom_map")
    if not isinstance(table, dict):
        raise ConfigError(
            f'{path} has no table "custom_map"; write {{"custom_map": {{"cuda_name": "hip_name"}}}}'
        )
    for old, new in table.items():
        if not old or not isinstance(new, str) or not _is_utf8(old + new):
            raise ConfigError(
                f"{path}: custom_map maps {old!r} to {new!r}; a text that is not empty is mapped"
                " to a text, both of whole characters"
            )
    return table


def _is_utf8(text: str) -> bool:
    """Whether a text has bytes: JSON may hold halves of characters, which have none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def apply_custom_map(data: bytes, table: Mapping[str, str]) -> bytes:
    """Replace each text of the table wherever it stands, the longest first, as hipify_torch does.

    That is before anything else is looked at, in comments and inside longer names too.
    """
    if not table:
        return data
    by_bytes = {old.encode(): new.encode() for old, new in table.items()}
    longest_first = sorted(by_bytes, key=len, reverse=True)
    pattern = re.compile(b"|".join(map(re.escape, longest_first)))
    return pattern.sub(lambda match: by_bytes[match[0]], data)
