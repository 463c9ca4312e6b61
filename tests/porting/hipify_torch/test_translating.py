"""Which files move, decided without a file system."""

from porting.config import Target
from porting.hipify_torch.gathering import Gathered
from porting.hipify_torch.layout import hip_path
from porting.hipify_torch.translating import Plan, is_translatable, translate
from porting.rules import Project


def _translate(files: dict[str, str], locked: str = "") -> dict[str, tuple[str, str]]:
    """Return new path and text of each file; nothing can be written in the folder `locked`."""
    plan = Plan(
        target=Target(),
        project=Project(),
        custom_map={},
        hip_path=lambda path: hip_path(path, is_pytorch_extension=True),
        can_be_written=lambda path: not locked or not path.startswith(locked),
        is_pytorch_extension=True,
    )
    gathered = Gathered({path: text.encode() for path, text in files.items()})
    done = translate(gathered, plan, lambda _: None)
    return {path: (file.new_path, file.data.decode()) for path, file in done.items()}


def test_a_file_whose_new_place_cannot_be_written_stays_and_is_included_as_it_is() -> None:
    done = _translate(
        {
            "locked/api.h": "#include <cuda_runtime.h>\n",
            "a.cpp": '#include "locked/api.h"\ncudaStream_t s;\n',
        },
        locked="locked/",
    )
    assert done["locked/api.h"][0] == "locked/api.h"
    assert done["a.cpp"][0] == "a_hip.cpp"
    assert '#include "locked/api.h"\n' in done["a.cpp"][1]


def test_a_chain_of_includes_moves_with_its_last_file() -> None:
    files = {f"h{n}.h": f'#include "h{n + 1}.h"\n' for n in range(5)}
    done = _translate({**files, "h5.h": "cudaStream_t s;\n", "alone.h": "int x;\n"})
    assert {path: new for path, (new, _) in done.items()} == {
        **{f"h{n}.h": f"h{n}_hip.h" for n in range(6)},
        "alone.h": "alone.h",
    }


def test_an_include_that_names_no_file_of_the_run_is_left() -> None:
    done = _translate({"x/api.h": "cudaStream_t s;\n", "a.cpp": "#include <vector>\nint x;\n"})
    assert done["a.cpp"] == ("a.cpp", "#include <vector>\nint x;\n")


def test_build_files_scripts_and_documents_are_not_translated() -> None:
    names = ("CMakeLists.txt", "Makefile", "setup.py", "README.md", "a.rs", "conf.toml")
    assert not any(map(is_translatable, names))
    assert all(map(is_translatable, ("a.cu", "a.h.in", "a.tpl", "a.inl")))
