"""Child processes and temporary folders that end with the run that they are for."""

from porting.processes.folders import dead_folders, live_folder, remove_folder, remove_live
from porting.processes.locking import is_free
from porting.processes.running import Guarded, Ran, run
from porting.processes.scratch import scratch_folder
from porting.processes.signals import signals_held

__all__ = [
    "Guarded",
    "Ran",
    "dead_folders",
    "is_free",
    "live_folder",
    "remove_folder",
    "remove_live",
    "run",
    "scratch_folder",
    "signals_held",
]
