"""Which vendor libraries this machine has, and whether each one works."""

from runtime.devices.isolate import probe_apart
from runtime.devices.libraries import LIBRARIES
from runtime.devices.probe import probe
from runtime.devices.record import Evidence, Finding, VendorLibrary

__all__ = ["LIBRARIES", "Evidence", "Finding", "VendorLibrary", "probe", "probe_apart"]
