"""What AMD GPUs do not have: device-side launches, textures, clusters, NVIDIA's wmma."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.device.codes import (
    ATTRIBUTE,
    CLUSTER,
    FP8,
    LAUNCH,
    MATRIX,
    TEXTURE_REFERENCE,
    TEXTURE_UNITS,
)
from porting.rules.functions import Function
from porting.rules.unit import Unit
from porting.syntax import IDENT, call_at

# Calls of the runtime that CUDA lets device code make, for the kernels it launches.
_RUNTIME_CALLS: Final = (
    *("cudaDeviceSynchronize", "cudaStreamCreateWithFlags", "cudaGetParameterBuffer"),
    *("cudaLaunchDevice", "cudaGetParameterBufferV2", "cudaLaunchDeviceV2", "cudaEventRecord"),
    *("cudaStreamWaitEvent", "cudaGraphLaunch", "cudaMemcpyAsync", "cudaMemsetAsync"),
)
_NO_TEXTURES: Final = ("gfx942", "gfx940", "gfx941", "gfx950", "gfx1250")
_FETCHES: Final = (
    *("tex1D", "tex2D", "tex3D", "tex1Dfetch", "tex1DLod", "tex2DLod", "tex3DLod", "tex1DLayered"),
    *("tex2DLayered", "texCubemap", "tex1DGrad", "tex2DGrad", "tex3DGrad", "tex2Dgather"),
    *("surf1Dread", "surf2Dread", "surf3Dread", "surf1Dwrite", "surf2Dwrite", "surf3Dwrite"),
    *("surf2DLayeredread", "surf2DLayeredwrite"),
)
_FP8_TYPES: Final = (
    *("__nv_fp8_e4m3", "__nv_fp8_e5m2", "__nv_fp8x2_e4m3", "__nv_fp8x2_e5m2"),
    *("__nv_fp8x4_e4m3", "__nv_fp8x4_e5m2", "__nv_cvt_float_to_fp8", "__nv_cvt_fp8_to_halfraw"),
)


def device_launches(unit: Unit) -> Iterator[Diagnostic]:
    """Yield kernel launches and runtime calls in functions that only the device runs."""
    if not unit.where("__global__") and not unit.where("__device__"):
        return
    calls = [(name, unit.where(name)) for name in _RUNTIME_CALLS if unit.where(name)]
    launches = unit.launches
    if not calls and not launches:
        return
    for function in unit.functions.all:
        if function.is_macro or not function.on_device or _runs_on_host(unit, function):
            continue
        for at in launches:
            if function.open < at < function.close:
                yield _launch(unit, at - 1, "launches a kernel")
        for name, places in calls:
            for place in places:
                if function.open < place < function.close:
                    yield _launch(unit, place, f"calls {name}")


def _runs_on_host(unit: Unit, function: Function) -> bool:
    return "__host__" in unit.tokens.words[function.first : function.open]


def _launch(unit: Unit, place: int, what: str) -> Diagnostic:
    return unit.diagnose(
        LAUNCH,
        unit.tokens[place],
        f"device code {what}: HIP has no device-side launches (dynamic parallelism)",
        help="launch from the host, or loop over the work in one kernel",
    )


def textures(unit: Unit) -> Iterator[Diagnostic]:
    """Yield texture references, and fetches that an architecture cannot do."""
    for name in ("texture", "surface"):
        for place in unit.where(name):
            if _is_reference(unit, place):
                yield unit.diagnose(
                    TEXTURE_REFERENCE,
                    unit.tokens[place],
                    f"a {name} reference: CUDA 12 removed them and HIP does not support them"
                    " on every GPU",
                    help="pass a texture object to the kernel, or read through a pointer",
                )
    without = [arch for arch in unit.target.archs if arch in _NO_TEXTURES]
    if without:
        yield from _fetches(unit, without)


def _is_reference(unit: Unit, place: int) -> bool:
    """Whether `texture<type...> name` stands at file scope."""
    tokens = unit.tokens
    return (
        tokens[place + 1].text == "<"
        and tokens[place - 1].text not in (".", "->", "class", "struct")
        and (tokens[place - 1].text != "::" or tokens[place - 2].kind != IDENT)
        and unit.functions.around(place) is None
        and any(token.text in (">", ";") for token in tokens[place + 2 : place + 16])
    )


def _fetches(unit: Unit, without: list[str]) -> Iterator[Diagnostic]:
    for name in filter(unit.index.__contains__, _FETCHES):
        for place in unit.where(name):
            function = unit.functions.around(place)
            call = call_at(unit.tokens, place)
            before = unit.tokens[place - 1].text
            if call is None or before in (".", "->", "::", "define"):
                continue
            if function is not None and place > function.open:
                yield unit.diagnose(
                    TEXTURE_UNITS,
                    unit.tokens[place],
                    f"{name} needs texture units, which {', '.join(without)} lacks",
                    help="read the array through a pointer, or leave out these architectures",
                )


def matrix(unit: Unit) -> Iterator[Diagnostic]:
    """Yield the places that name nvcuda."""
    for place in unit.where("nvcuda"):
        yield unit.diagnose(
            MATRIX,
            unit.tokens[place],
            "nvcuda::wmma has no HIP counterpart under this name; AMD's is the library rocWMMA",
            help="include rocwmma/rocwmma.hpp, use namespace rocwmma, and launch whole wavefronts",
        )


def narrow_floats(unit: Unit) -> Iterator[Diagnostic]:
    """Yield the first use of each fp8 type when an architecture encodes it in another way."""
    fnuz = [arch for arch in unit.target.archs if arch.startswith("gfx94")]
    for name in _FP8_TYPES:
        places = unit.where(name)
        if fnuz and places:
            yield unit.diagnose(
                FP8,
                unit.tokens[places[0]],
                f"{name} is an OCP format, and {', '.join(fnuz)} computes in FNUZ formats:"
                " conversions are done in software",
                help="use the _fnuz types where bytes are not exchanged with other GPUs",
            )


def attributes(unit: Unit) -> Iterator[Diagnostic]:
    """Yield kernel attributes that HIP lacks."""
    for place in unit.where("__grid_constant__"):
        if unit.tokens[place - 1].text not in ("define", "defined", "ifdef", "ifndef", "undef"):
            yield _removed(unit, place, place + 1)
    for name in ("__maxnreg__", "__block_size__", "__cluster_dims__"):
        for place in unit.where(name):
            call = call_at(unit.tokens, place)
            if call is None or unit.tokens[place - 1].text in ("define", "ifndef"):
                continue
            if name == "__maxnreg__":
                yield _removed(unit, place, call.close + 1)
            else:
                yield unit.diagnose(
                    CLUSTER,
                    unit.tokens[place],
                    f"{name}: AMD GPUs have no clusters of blocks",
                    help="exchange data through global memory",
                )
    yield from _launch_bounds(unit)


def _removed(unit: Unit, first: int, last: int) -> Diagnostic:
    """Remove tokens and the blanks behind them."""
    tokens = unit.tokens
    text = unit.source.text
    end = tokens[last - 1].end
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    name = tokens[first]
    edit = Edit(name.start, end, "", name.text)
    return unit.diagnose(
        ATTRIBUTE, name, f"{name.text} is removed: it changes no result", edits=[edit]
    )


def _launch_bounds(unit: Unit) -> Iterator[Diagnostic]:
    for place in unit.where("__launch_bounds__"):
        call = call_at(unit.tokens, place)
        if call is None or len(call.arguments) != 3:  # noqa: PLR2004 - threads, blocks, clusters
            continue
        tokens = unit.tokens
        second, third = call.arguments[1:]
        start, end = tokens[second.last - 1].end, tokens[third.last - 1].end
        edit = Edit(start, end, "", "__launch_bounds__")
        yield unit.diagnose(
            ATTRIBUTE,
            tokens[place],
            "the third argument of __launch_bounds__ is removed: there are no clusters",
            edits=[edit],
        )
