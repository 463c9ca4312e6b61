"""Arrays handed to torch and taken from it, by DLPack."""

import importlib
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

import pytest

from runtime.devices import Element, device

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def torch(missing: Callable[[str], NoReturn]) -> Any:  # noqa: ANN401 - a module without types here
    """Import torch, which soak has installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it misses NumPy, which nothing here needs
            return importlib.import_module("torch")
    except ModuleNotFoundError:
        missing("torch is not installed")


def test_torch_shares_a_buffers_memory(torch: Any) -> None:  # noqa: ANN401
    cpu = device("cpu")
    buffer = cpu.allocate(8)
    cpu.fill(buffer, 1, cpu.stream())
    tensor = torch.from_dlpack(buffer)
    tensor[0] = 9
    here = bytearray(8)
    cpu.copy(here, buffer, cpu.stream())
    assert bytes(here) == b"\x09" + b"\x01" * 7
    del buffer
    assert tensor.tolist() == [9] + [1] * 7  # the tensor keeps the memory alive


@pytest.mark.parametrize(
    ("dtype", "element"),
    [
        ("float32", Element.FLOAT32),
        ("float64", Element.FLOAT64),
        ("float16", Element.FLOAT16),
        ("bfloat16", Element.BFLOAT16),
    ],
)
def test_replicas_of_torch_are_averaged_as_torch_does(
    torch: Any,  # noqa: ANN401
    dtype: str,
    element: Element,
) -> None:
    torch.manual_seed(1)
    replicas = [torch.randn(1001).to(getattr(torch, dtype)) for _ in range(4)]
    wide = torch.float64 if dtype == "float64" else torch.float32
    total = replicas[0].to(wide)
    for replica in replicas[1:]:
        total = total + replica.to(wide)
    expected = (total * 0.25).to(getattr(torch, dtype))
    cpu = device("cpu")
    cpu.accumulate(replicas[0], replicas[1:], 0.25, element, cpu.stream())
    assert torch.equal(replicas[0], expected)


def test_a_tensor_that_is_no_block_is_an_error(torch: Any) -> None:  # noqa: ANN401
    cpu = device("cpu")
    with pytest.raises(ValueError, match=r"not contiguous in C order"):
        cpu.checksum(torch.zeros(4, 4).t()[:2], cpu.stream())
