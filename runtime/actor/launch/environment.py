"""Decide which variables act when a program starts, and so name the zygote that can fork it.

The dynamic loader, the allocator, Python and the math libraries read their variables once, at
exec or at import. A child that is forked from a zygote cannot be given other ones: it needs a
zygote that was started with them. All other variables are set in the child after the fork.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Read by the loader, libc, the allocators, sanitizers and Python itself.
_AT_EXEC = tuple(
    """
    LD_ GLIBC_TUNABLES MALLOC_ TCMALLOC_ MIMALLOC_ JEMALLOC_ PYTHON LANG LC_ TZ
    ASAN_OPTIONS LSAN_OPTIONS TSAN_OPTIONS UBSAN_OPTIONS MSAN_OPTIONS OPENSSL_
    """.split()
)
# Read by libraries when they are loaded; also what they lend to libraries they load.
_AT_IMPORT = tuple(
    """
    OMP_ GOMP_ KMP_ MKL_ OPENBLAS_ GOTO_ BLIS_ FLEXIBLAS_ VECLIB_ NUMEXPR_ NPY_ NUMPY_
    TORCH PYTORCH_ ATEN_ TRITON_ JAX_ XLA_ TF_
    """.split()
)
RUN = "ECLOSION_RUN"  # which zygote a program descends from; for people who look


def acts_at_start(name: str) -> bool:
    """Say whether the variable is read when a program or a library starts, and not later."""
    return name.startswith(_AT_EXEC) or name.startswith(_AT_IMPORT)


def merged(base: "Mapping[str, str]", requested: "Mapping[str, str]") -> dict[str, str]:
    """Return the whole environment of a process; raises ValueError for what none can have."""
    for name, value in requested.items():
        if not name or "=" in name or "\0" in name or "\0" in value:
            raise ValueError(f"an environment cannot have the variable {name!r}={value!r}")
    return {**base, **{str(name): str(value) for name, value in requested.items()}}


def key(environment: "Mapping[str, str]") -> tuple[tuple[str, str], ...]:
    """Return what a zygote must have been started with to fork a process with this environment."""
    return tuple(sorted(item for item in environment.items() if acts_at_start(item[0])))


def changes(
    present: "Mapping[str, str]", wanted: "Mapping[str, str]"
) -> tuple[list[str], dict[str, str]]:
    """Return the names to unset and the variables to set to get from one to the other."""
    gone = [name for name in present if name not in wanted and name != RUN]
    new = {name: value for name, value in wanted.items() if present.get(name) != value}
    return gone, new
