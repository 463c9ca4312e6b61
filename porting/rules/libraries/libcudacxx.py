"""libcu++: cuda::std becomes hip::std, operators those of hipCUB, the rest is reported."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.libraries.codes import FUNCTOR, LIBCUDACXX, LIBCUDACXX_STD
from porting.rules.libraries.scopes import Use, declares, includes, qualifier, use_of
from porting.rules.libraries.thrust import is_thrust
from porting.rules.unit import Unit
from porting.syntax import match_angle, match_bracket

# What libcu++ has in namespace cuda itself.
_WORDS: Final = (
    "atomic atomic_ref atomic_flag atomic_thread_fence atomic_signal_fence barrier"
    " barrier_arrive_tx barrier_expect_tx pipeline pipeline_shared_state make_pipeline"
    " pipeline_consumer_wait_prior pipeline_role memcpy_async aligned_size_t latch"
    " counting_semaphore binary_semaphore thread_scope thread_scope_system"
    " thread_scope_device thread_scope_block thread_scope_thread memory_order access_property"
    " annotated_ptr apply_access_property associate_access_property discard_memory ptx device"
    " mr experimental stream_ref maximum minimum proclaim_return_type"
    " proclaim_copyable_arguments get_device_address ceil_div round_up round_down"
    " is_power_of_two next_power_of_two ilog2 fast_mod_div static_for warp_shuffle_idx"
    " warp_shuffle_xor warp_match_all uabs ipow counting_iterator constant_iterator"
    " discard_iterator permutation_iterator transform_iterator zip_iterator arch"
    " compute_capability devices event stream launch make_config"
)
_NAMES: Final = frozenset(_WORDS.split())
_ADVICE: Final = {
    "ceil_div": "write (a + b - 1) / b",
    "proclaim_return_type": "pass the function object itself: rocThrust deduces its result",
    "memcpy_async": "copy with plain loads and stores and __syncthreads()",
    "barrier": "use __syncthreads(), or a counter in LDS with __hip_atomic_* builtins",
    "pipeline": "copy with plain loads and stores and __syncthreads()",
    "atomic": "use __hip_atomic_* builtins with a __HIP_MEMORY_SCOPE_*, or install libhipcxx",
    "atomic_ref": "use __hip_atomic_* builtins with a __HIP_MEMORY_SCOPE_*",
    "ptx": "PTX has no counterpart; say what the instruction does in HIP",
}
_DEFAULT_ADVICE: Final = (
    "install libhipcxx if it has the name, or write it with HIP's builtins and the standard library"
)
# Operators: libcu++'s name -> those of hipCUB (a plain type) and of rocThrust (a template).
_OPERATORS: Final = {"maximum": "Max", "minimum": "Min", "plus": "Sum"}


def check_libcudacxx(unit: Unit) -> Iterator[Edit | Diagnostic]:
    """Yield what becomes of `cuda::` where it is libcu++'s."""
    numbers = unit.where("cuda")
    if not numbers:
        return
    included = includes(unit, "cuda/")
    owned = declares(unit, "cuda")
    told = includes(unit, "cuda/std/")
    for number in numbers:
        if qualifier(unit, number) or is_thrust(unit, number):
            continue
        use = use_of(unit, number)
        if use is Use.TARGET and included and not owned:
            yield _report(unit, number, "")
        if use is not Use.QUALIFIER or number + 2 >= len(unit.tokens):
            continue
        member = unit.tokens[number + 2].text
        if member == "std":
            yield from _check_std(unit, number, told=told)
            told = True
        elif (member in _NAMES or included) and (included or not owned):
            yield _operator(unit, number, number + 2) or _report(unit, number, member)


def _check_std(unit: Unit, number: int, *, told: bool) -> Iterator[Edit | Diagnostic]:
    if number + 4 < len(unit.tokens):
        operator = _operator(unit, number, number + 4)
        if operator is not None:
            yield operator
            return
    token = unit.tokens[number]
    edit = Edit(token.start, token.end, "hip", "cuda::std")
    if told:
        yield edit
        return
    yield unit.diagnose(
        LIBCUDACXX_STD,
        token,
        "'cuda::std' becomes hip::std, which exists only where libhipcxx is installed",
        help="install libhipcxx, or use the standard library's constexpr parts",
        symbol="cuda::std",
        edits=[edit],
    )


def _report(unit: Unit, number: int, member: str) -> Diagnostic:
    name = f"cuda::{member}" if member else "namespace cuda"
    return unit.diagnose(
        LIBCUDACXX,
        unit.tokens[number],
        f"'{name}' of libcu++ has no counterpart in ROCm",
        help=_ADVICE.get(member, _DEFAULT_ADVICE),
        symbol=name,
    )


def _operator(unit: Unit, number: int, name: int) -> Diagnostic | None:
    """Return the rewrite of `cuda::maximum<T>{}` where hipCUB or rocThrust has the operator."""
    target = _OPERATORS.get(unit.tokens[name].text)
    end = _end_of_object(unit, name)
    if target is None or end is None:
        return None
    has_cub = includes(unit, "cub/", "hipcub/") or any(
        use_of(unit, at) is Use.QUALIFIER for at in unit.where("cub")
    )
    start = unit.tokens[number].start
    if number and unit.tokens[number - 1].text == "::":
        start = unit.tokens[number - 1].start
    symbol = unit.source.text[unit.tokens[number].start : unit.tokens[name].end]
    if has_cub:
        edit = Edit(start, unit.tokens[end].end, f"hipcub::{target}()", symbol)
        where = f"hipcub::{target}"
    elif unit.where("thrust"):
        edit = Edit(start, unit.tokens[name].start, "thrust::", symbol)
        where = f"thrust::{unit.tokens[name].text}"
    else:
        return None
    message = f"'{symbol}' becomes {where}"
    return unit.diagnose(FUNCTOR, unit.tokens[number], message, symbol=symbol, edits=[edit])


def _end_of_object(unit: Unit, name: int) -> int | None:
    """Return the last token of `NAME<...>{}` or `NAME<...>()`, None when it is no such object."""
    tokens = unit.tokens
    at = name + 1
    if at < len(tokens) and tokens[at].text == "<":
        closer = match_angle(tokens, at)
        if closer is None or tokens[closer].text != ">":
            return None
        at = closer + 1
    if at < len(tokens) and tokens[at].text in ("{", "("):
        closer = match_bracket(tokens, at)
        return closer if closer == at + 1 else None
    return None
