"""Convert one tree in this process, and say how much CPU time the conversion alone took.

    python -m benchmarks.real_trees.convert ours|peer TREE OUT [--headers FOLDER ...]

The peer is `torch.utils.hipify`, loaded from the installed torch without importing torch itself.
Both convert a copy of the tree in place; the peer, as an extension's build has it do, writes new
files beside the originals.
Start-up, which is imports and name tables, is not part of the conversion; reading and writing the
files is.  Prints one JSON object: seconds of start-up and of the conversion, number of files, and
for the peer the new name of each file.
"""

import argparse
import contextlib
import importlib.util
import io
import json
import shutil
import sys
import time
import types
from pathlib import Path
from typing import Any

from benchmarks.real_trees.fetch import SOURCES


def ours(tree: Path, out: Path) -> dict[str, Any]:
    """Convert a copy of a tree with this project, in place."""
    from porting.config import Target
    from porting.conversion import Conversion
    from porting.mapping import Names
    from porting.rules import collect_project
    from porting.tree import read_tree

    target = Target()
    names = Names.load(target.rocm)  # the peer's tables are read when it is imported
    start = time.process_time()
    shutil.copytree(tree, out)
    copied = time.process_time()
    read = read_tree(out)
    conversion = Conversion(target, names, collect_project(read.sources, read.paths))
    for done in conversion.all(read.sources, 1, lambda _: None):
        if done.changed:
            (out / done.source.path).write_bytes(done.data)
    seconds = time.process_time() - copied
    return {"startup": start, "seconds": seconds, "files": len(read.sources)}


def peer(tree: Path, out: Path, headers: list[str]) -> dict[str, Any]:
    """Convert a copy of a tree with torch.utils.hipify, as for a PyTorch extension."""
    shutil.copytree(tree, out)
    copied = time.process_time()
    module = load_peer()
    sources = sorted(str(p) for p in out.rglob("*") if p.suffix.lower() in SOURCES)
    talk = io.StringIO()
    start = time.process_time()
    with contextlib.redirect_stdout(talk), contextlib.redirect_stderr(talk):
        results = module.hipify(
            project_directory=str(out),
            output_directory=str(out),
            includes=[f"{out}/*"],
            header_include_dirs=[str(out / folder) for folder in headers],
            extra_files=sources,
            hipify_extra_files_only=True,
            is_pytorch_extension=True,
            show_progress=False,
        )
    seconds = time.process_time() - start
    names = {
        str(Path(path).relative_to(out)): str(Path(result.hipified_path).relative_to(out))
        for path, result in results.items()
        if result.hipified_path is not None
    }
    startup = start - copied
    return {"startup": startup, "seconds": seconds, "files": len(sources), "names": names}


def load_peer() -> Any:  # noqa: ANN401 - the peer has no types
    """Load torch/utils/hipify as a package of its own; `import torch` takes seconds."""
    torch = importlib.util.find_spec("torch")
    if torch is None or not torch.submodule_search_locations:
        raise SystemExit("torch is not installed here; the benchmark extra has it")
    folder = Path(torch.submodule_search_locations[0]) / "utils" / "hipify"
    package = types.ModuleType("peer_hipify")
    package.__path__ = [str(folder)]
    sys.modules["peer_hipify"] = package
    return importlib.import_module("peer_hipify.hipify_python")


def main() -> int:
    """Convert one tree and print the result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("who", choices=("ours", "peer"))
    parser.add_argument("tree", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--headers", nargs="*", default=[])
    given = parser.parse_args()
    if given.who == "ours":
        result = ours(given.tree, given.out)
    else:
        result = peer(given.tree, given.out, given.headers)
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
