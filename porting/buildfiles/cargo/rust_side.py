"""The calls by which a build script gives its crate CUDA's names over HIP."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from porting.buildfiles.cargo.script import Script
from porting.buildfiles.cargo.texts import link_line
from porting.buildfiles.cargo.work import Rewriting, quoted
from porting.buildfiles.codes import CALL_LACKING
from porting.buildfiles.libraries import library
from porting.buildfiles.model import BuildContext
from porting.diagnostics import Diagnostic
from porting.generated import FOLDER
from porting.headers.rust import BUILD, CFG, Needs

_IF_ROCM = "if gpu_build::is_rocm()"
_SAYS = (f'println!("cargo:rustc-check-cfg=cfg({CFG})");', f'println!("cargo:rustc-cfg={CFG}");')
# The name for the linker of a library that the name tables call otherwise.
_LINKED = {"runtime": "cudart", "driver": "cuda"}
_NAME = PurePosixPath(BUILD).name


def rust_side(work: Rewriting) -> None:
    """Add the calls that the Rust files made for the crate ask for."""
    needs = work.context.rust.get(work.script.source.path)
    if needs is None:
        return
    done = _symbols(work, needs) if needs.symbols else False
    done = (_bindings(work) if needs.bindings else False) or done
    if done:
        work.includes.append(_NAME)
    _says_rocm(work, needs)


def lacking_calls(script: Script, context: BuildContext) -> Iterator[Diagnostic]:
    """Yield a warning where a script that looks for ROCm by itself lacks what its crate needs.

    A script that includes the generated gpu_build.rs sets the cfg by it.
    """
    path = script.source.path
    needs = context.rust.get(path, Needs())
    names = {token.name for token in script.tokens}
    texts = [text for _, text in script.texts()]
    folder = "../" * path.count("/") + FOLDER
    lines: list[str] = []
    if needs.cfg and "gpu_build" not in names and not any(f"rustc-cfg={CFG}" in t for t in texts):
        lines += _SAYS
    if needs.symbols and "link_symbols" not in names:
        lines += [f"rocm_build::link_symbols({quoted(folder)});", *_link_lines(needs)]
    if needs.bindings and "bound_items" not in names:
        lines += _bindgen_calls(folder)
    if not lines:
        return
    if any("rocm_build" in line for line in lines):
        lines.insert(0, f'include!("{folder}/{_NAME}");')
    message = f"{path} looks for ROCm by itself and lacks what its crate needs for a ROCm build"
    yield CALL_LACKING.at(path, message, f"write where it is for ROCm: {' '.join(lines)}")


def _says_rocm(work: Rewriting, needs: Needs) -> None:
    """Let sources know that the build is for ROCm, unless the script sees to that itself."""
    if any(f"rustc-cfg={CFG}" in text for _, text in work.script.texts()):
        return
    if not work.compat:
        work.begin_main(_SAYS)
    elif needs.cfg:
        work.begin_main([f"gpu_build::is_rocm(); // sets cfg({CFG})"])


def _symbols(work: Rewriting, needs: Needs) -> bool:
    """Link the forwarders before ROCm's libraries, which they need.

    A script that links nothing of CUDA's gets all lines that link ROCm's.
    """
    line = f"rocm_build::link_symbols({quoted(work.folder)});"
    for number, text in work.script.texts():
        if link_line(text) is not None:
            work.add_line_before(number, line)
            return True
    lines = (*work.search, line, *_link_lines(needs))
    done = work.begin_main(lines, condition=_IF_ROCM if work.compat else "")
    if done:
        work.linked = work.script.main_brace()
    return done


def _link_lines(needs: Needs) -> list[str]:
    """Return the statements that link the libraries whose functions a crate declares."""
    rows = (library(_LINKED.get(name, name)) for name in needs.libraries)
    linked = dict.fromkeys(name for row in rows if row is not None for name in row.link)
    names = [name for name in linked if name != "amdhip64"]
    return [f'println!("cargo:rustc-link-lib=dylib={name}");' for name in (*names, "amdhip64")]


def _bindings(work: Rewriting) -> bool:
    """Give bindgen the types and names that the generated module has."""
    calls = _bindgen_calls(work.folder)
    if work.compat:
        calls.append(f".clang_args(gpu_build::compat_flags({quoted(work.folder)}))")
    for at in _builders(work):
        gap = work.line_break(at)
        work.insert(work.script.partner[at] + 1, "".join(f"{gap}{call}" for call in calls))
    return bool(_builders(work))


def _bindgen_calls(folder: str) -> list[str]:
    return [
        f".raw_line(rocm_build::bindings({quoted(folder)}))",
        f".blocklist_item(rocm_build::bound_items({quoted(folder)}))",
        '.clang_arg("-D__HIP_PLATFORM_AMD__")',
    ]


def _builders(work: Rewriting) -> list[int]:
    """Return the opening brackets of `Builder::default()` and `bindgen::builder()`."""
    tokens, found = work.script.tokens, []
    for at in range(2, len(tokens) - 1):
        words = [t.text for t in tokens[at - 2 : at + 2]]
        if words in (["Builder", "::", "default", "("], ["bindgen", "::", "builder", "("]):
            found.append(at + 1)
    return found
