"""The device protocol's suite on the cell's GPU, unchanged: memory."""

from tests.runtime.devices.test_protocol_memory import *  # noqa: F403
