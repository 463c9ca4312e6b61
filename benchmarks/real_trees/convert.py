"""Convert one tree in this process, and say how much CPU time the conversion alone took.

    python -m benchmarks.real_trees.convert ours|peer TREE OUT [--headers FOLDER ...]

The peer is `torch.utils.hipify`, loaded from the installed torch without importing torch itself.
It converts a copy in place, as an extension's build does: new files beside the originals.
Start-up (imports, and the peer's tables) is not counted; reading and writing the files is.
Prints one JSON object: seconds, files, and for the peer the new name of each file.
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


def ours(tree: Path, out: Path, report: Path) -> dict[str, Any]:
    """Port a tree with this project; the tables are looked up, and so counted, inside."""
    from porting.port import PortRequest, port

    request = PortRequest(tree, out, verify=False)
    start = time.process_time()
    result = port(request)
    seconds = time.process_time() - start
    found = [diagnostic.to_json() for diagnostic in result.report.diagnostics]
    report.write_text(json.dumps({"diagnostics": found}), encoding="utf-8")
    return {"seconds": seconds, "files": len(result.hipified)}


def peer(tree: Path, out: Path, headers: list[str]) -> dict[str, Any]:
    """Convert a copy of a tree with torch.utils.hipify, as for a PyTorch extension."""
    module = load_peer()
    shutil.copytree(tree, out)
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
    return {"seconds": seconds, "files": len(sources), "names": names}


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
    parser.add_argument("--report", type=Path, default=Path("report.json"))
    given = parser.parse_args()
    if given.who == "ours":
        result = ours(given.tree, given.out, given.report)
    else:
        result = peer(given.tree, given.out, given.headers)
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
