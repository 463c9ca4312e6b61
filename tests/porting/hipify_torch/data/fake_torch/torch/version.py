"""For which platform this torch is, as the environment says."""

import os

__version__ = "2.13.0"
hip = os.environ.get("FAKE_HIP") or None
cuda = None if hip else "13.0"
