"""Tensors as arguments: what torch can say of them arrives, and no more memory than they span."""
# ruff: noqa: ANN401 - torch is imported late

from collections.abc import Callable
from typing import Any

import pytest

from runtime.transport.pickling import dumps
from tests.runtime.transport.test_pickling import MANY, sent

pytestmark = pytest.mark.soak  # needs torch
KINDS = "bool uint8 int8 uint16 int64 float16 bfloat16 float32 float64 complex64 float8_e4m3fn"


@pytest.fixture
def torch() -> Any:
    """Give torch."""
    return pytest.importorskip("torch")


@pytest.mark.parametrize("many", [3, MANY])
@pytest.mark.parametrize("kind", KINDS.split())
def test_tensor_when_of_a_type(torch: Any, kind: str, many: int) -> None:
    value = torch.ones(many).to(getattr(torch, kind))
    came = sent(value)[0]
    assert came.dtype == value.dtype
    assert torch.equal(came.view(torch.uint8), value.view(torch.uint8))
    came.fill_(0)
    assert value[0]


VIEWS: dict[str, Callable[[Any], Any]] = {
    "one": lambda t: t[0, 1],
    "a part": lambda t: t[1, 3:9],
    "every second": lambda t: t[:, ::2],
    "transposed": lambda t: t.T,
    "repeated": lambda t: t[:1].expand(50, -1),
    "empty": lambda t: t[:, :0],
    "diagonal": lambda t: t.diagonal(),
}


@pytest.mark.parametrize("many", [256, MANY])
@pytest.mark.parametrize("name", VIEWS)
def test_tensor_when_it_is_a_view(torch: Any, name: str, many: int) -> None:
    whole = torch.arange(many, dtype=torch.float32).reshape(16, -1)
    value = VIEWS[name](whole)
    came = sent(value)[0]
    assert torch.equal(came, value)
    assert came.stride() == value.stride() or name == "empty"
    data, buffers = dumps((value,))
    spans = whole.nbytes if name in {"every second", "transposed", "diagonal"} else value.nbytes
    assert len(data) + sum(memoryview(each).nbytes for each in buffers) <= spans + 1000


def test_tensor_when_it_is_more_than_memory(torch: Any) -> None:
    plain = torch.arange(MANY, dtype=torch.float32)
    halves = torch.ones(MANY, dtype=torch.complex64)
    sparse = torch.sparse_coo_tensor(
        [[0, 1]], [1.0, 2.0], (MANY,), check_invariants=True
    ).coalesce()
    assert torch.equal(sent(sparse)[0].to_dense(), sparse.to_dense())
    assert sent(plain.clone().requires_grad_())[0].requires_grad
    parameter = sent(torch.nn.Parameter(plain))[0]
    assert isinstance(parameter, torch.nn.Parameter)
    assert torch.equal(parameter, plain)
    assert torch.equal(sent(halves.conj())[0].resolve_conj(), halves.conj().resolve_conj())
    assert torch.equal(sent(halves.conj().imag)[0], halves.conj().imag)
    meta = sent(torch.empty(MANY, device="meta"))[0]
    assert (meta.device.type, meta.shape) == ("meta", (MANY,))
    marked = plain.clone()
    marked.mark = "mine"
    assert sent(marked)[0].mark == "mine"


def test_module_when_sent_with_its_optimizer(torch: Any) -> None:
    layer = torch.nn.Linear(300, 300)
    module = torch.nn.Sequential(layer, layer)
    came, optimizer = sent(module, torch.optim.Adam(module.parameters()))
    assert came[0] is came[1]
    assert optimizer.param_groups[0]["params"][0] is came[0].weight
    assert torch.equal(came[0].weight, layer.weight)


def test_identity_when_a_tensor_comes_twice(torch: Any) -> None:
    value = torch.zeros(MANY)
    first, (second,) = sent(value, [value])
    assert first is second
