"""The runtime: what drives vendor libraries and, with later work, a cluster of actors.

Importing this package loads nothing compiled; ask for the module you need (`runtime.core`,
`runtime.devices`).
"""

__all__: list[str] = []
