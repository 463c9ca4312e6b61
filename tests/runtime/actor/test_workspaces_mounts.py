"""Places of workspaces where something is mounted: it can neither be replaced nor be removed."""

import subprocess
import sys
from pathlib import Path

import pytest

_PLACE = """
import sys
from runtime.actor.workspaces.listing import entries_of
from runtime.actor.workspaces.placing import Placing
root, source = sys.argv[1:]
try:
    placing = Placing(root, "", entries_of(source))
    placing.prepare()
    placing.place()
    placing.close()
except OSError as error:
    print(error)
Placing(root, "another", entries_of(source)).close()
"""


@pytest.mark.parametrize("how", ["-t tmpfs none", "--bind {data}"])
@pytest.mark.parametrize("below", ["", "/deep/er"])
def test_a_place_where_something_is_mounted_is_refused_before_anything_is_sent(
    tmp_path: Path, below: str, how: str
) -> None:
    root, source, data = (tmp_path / name for name in ("ws", "source", "data"))
    for folder in (source, data, Path(f"{root}{below}")):
        folder.mkdir(parents=True)
    (data / "dear").touch()
    there = f"{root}{below}"
    command = f'mount {how.format(data=data)} {there} && touch {there}/dear || exit 77; exec "$@"'
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", command, "sh", sys.executable, "-c", _PLACE, root, source],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    if done.returncode == 77 or done.stderr.startswith("unshare"):
        pytest.skip(f"nothing can be mounted here: {done.stderr}")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        f"something is mounted at ws{below}, and what is there cannot be replaced; unmount it, "
        "or copy to another directory\n"
    )
    assert (data / "dear").exists()
