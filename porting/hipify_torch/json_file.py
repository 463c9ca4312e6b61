"""Read the JSON files of hipify_torch: a project's own names, the options of a run."""

import json
from pathlib import Path
from typing import Any

from porting.errors import ConfigError, InputError, reason


def read_object(path: Path) -> dict[str, Any]:
    """Return the object that a file holds, an empty one for a document of another kind.

    Raises InputError for a file that cannot be read, ConfigError for what is no JSON.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {reason(error)}; check its path and permissions"
        ) from error
    except ValueError as error:
        raise ConfigError(f"{path} is no valid JSON: {error}") from error
    return document if isinstance(document, dict) else {}
