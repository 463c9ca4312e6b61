"""The device protocol's suite on the cell's GPU, unchanged: several devices."""

from tests.runtime.devices.test_protocol_devices import *  # noqa: F403
