"""Toolchains on this machine and the ROCm trees that stand in for a missing one."""
