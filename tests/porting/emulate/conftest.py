"""Which tests of the emulator are for `make soak`: those that compile a program of their own."""

from pathlib import Path

import pytest

# The parity suite runs the emulator in `make test`; these look at each function by itself.
_LONG = (
    "test_alignment",
    "test_cooperative_",
    "test_cuda_graphs",
    "test_cuda_launches",
    "test_cuda_memory",
    "test_cuda_streams",
    "test_cuda_thread_streams",
    "test_device_",
    "test_hip_copies",
    "test_hip_devices",
    "test_hip_graphs",
    "test_hip_lane_paths",
    "test_hip_launches",
    "test_hip_memory",
    "test_hip_narrow_types",
    "test_hip_sharing",
    "test_hip_streams",
    "test_leaks",
    "test_order_and_edges",
    "test_stack_overflow",
    "test_stream_races",
    "test_twins",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the long ones before pytest chooses by marks."""
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here and item.path.name.startswith(_LONG):
            item.add_marker(pytest.mark.soak)
