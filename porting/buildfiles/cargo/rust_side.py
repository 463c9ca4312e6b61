"""The calls by which a build script gives its crate CUDA's names over HIP."""

from pathlib import PurePosixPath

from porting.buildfiles.cargo.texts import link_line
from porting.buildfiles.cargo.work import Rewriting, quoted
from porting.headers.rust import BUILD

_NAME = PurePosixPath(BUILD).name


def rust_side(work: Rewriting) -> None:
    """Add the calls that the Rust files made for the crate ask for."""
    needs = work.context.rust.get(work.script.source.path)
    if needs is None:
        return
    done = _symbols(work) if needs.symbols else False
    done = (_bindings(work) if needs.bindings else False) or done
    if done:
        work.includes.append(_NAME)


def _symbols(work: Rewriting) -> bool:
    """Link the forwarders before ROCm's libraries, which they need."""
    line = f"rocm_build::link_symbols({quoted(work.folder)});"
    for number, text in work.script.texts():
        if link_line(text) is not None:
            work.add_line_before(number, line)
            return True
    brace = work.script.main_brace()
    if brace < 0:
        return False
    work.insert(brace + 1, f"{work.script.source.newline}    {line}")
    return True


def _bindings(work: Rewriting) -> bool:
    """Give bindgen the types and names that the generated module has."""
    folder = quoted(work.folder)
    calls = [
        f".raw_line(rocm_build::bindings({folder}))",
        f".blocklist_item(rocm_build::bound_items({folder}))",
        '.clang_arg("-D__HIP_PLATFORM_AMD__")',
    ]
    if work.compat:
        calls.append(f".clang_args(gpu_build::compat_flags({folder}))")
    for at in _builders(work):
        gap = work.line_break(at)
        work.insert(work.script.partner[at] + 1, "".join(f"{gap}{call}" for call in calls))
    return bool(_builders(work))


def _builders(work: Rewriting) -> list[int]:
    """Return the opening brackets of `Builder::default()` and `bindgen::builder()`."""
    tokens, found = work.script.tokens, []
    for at in range(2, len(tokens) - 1):
        words = [t.text for t in tokens[at - 2 : at + 2]]
        if words in (["Builder", "::", "default", "("], ["bindgen", "::", "builder", "("]):
            found.append(at + 1)
    return found
