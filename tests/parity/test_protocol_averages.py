"""The device protocol's suite on the cell's GPU, unchanged: averages."""

from tests.runtime.devices.test_protocol_averages import *  # noqa: F403
