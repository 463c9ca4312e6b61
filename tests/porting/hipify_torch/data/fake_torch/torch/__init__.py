"""What torch's build of extensions looks like from outside, for tests without torch."""

from torch import version

__version__ = version.__version__
