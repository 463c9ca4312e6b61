"""Child processes and temporary folders that end with the run that they are for."""

from porting.processes.locking import LOCK, is_free, locked_folder
from porting.processes.running import Guarded, Ran, run
from porting.processes.scratch import remove_live, scratch_folder
from porting.processes.signals import signals_held

__all__ = [
    "LOCK",
    "Guarded",
    "Ran",
    "is_free",
    "locked_folder",
    "remove_live",
    "run",
    "scratch_folder",
    "signals_held",
]
