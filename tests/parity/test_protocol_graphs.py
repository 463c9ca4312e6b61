"""The device protocol's suite on the cell's GPU, unchanged: graphs."""

from tests.runtime.devices.test_protocol_graphs import *  # noqa: F403
