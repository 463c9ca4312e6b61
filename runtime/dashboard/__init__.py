"""Looks at running programs from outside. It only reads: what they tell on their sockets."""

from runtime.dashboard.debugging import talk
from runtime.dashboard.programs import VERSION, find, status

__all__ = ["VERSION", "find", "status", "talk"]
