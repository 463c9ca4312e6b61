"""The release of torch's hipify, as the environment says."""

import os

__version__ = os.environ.get("FAKE_HIPIFY", "2.0.0")
