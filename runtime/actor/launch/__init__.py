"""Processes of a host: a zygote that forks them, and the launcher by which a gateway asks for them.

The gateway imports `launcher` (Launcher, Spawn, Exit). This package imports nothing by itself:
the zygote passes through it, and its start-up time is that of the first process of a mesh.
"""
