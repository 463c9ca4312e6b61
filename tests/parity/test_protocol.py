"""The device protocol's suite on the cell's GPU, unchanged: what every device does."""

from tests.runtime.devices.test_protocol import *  # noqa: F403
