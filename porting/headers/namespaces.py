"""C++ namespaces of CUDA's libraries as names for those of ROCm's."""

from collections.abc import Iterator

from porting.headers.uses import Uses
from porting.mapping import Names, Status


def namespaces_text(uses: Uses, names: Names) -> str:
    """Return the aliases of the namespaces that a tree names, for C++."""
    lines = list(_aliases(uses, names))
    if not lines:
        return ""
    return f"#if defined(__cplusplus)\n{''.join(lines)}#endif\n"


def _aliases(uses: Uses, names: Names) -> Iterator[str]:
    for path in uses.namespaces:
        known = names.namespace(path)
        if known is None or known.target is None or known.status is not Status.MAPPED:
            continue
        outer, _, inner = path.rpartition("::")
        yield _declared(known.target)
        alias = f"namespace {inner} = ::{known.target};"
        yield f"{alias}\n" if not outer else f"namespace {outer} {{\n{alias}\n}}\n"


def _declared(path: str) -> str:
    """Declare a namespace, as its header may come later."""
    outer, _, inner = path.rpartition("::")
    if not outer:
        return f"namespace {inner} {{}}\n"
    return f"namespace {outer} {{\nnamespace {inner} {{}}\n}}\n"
