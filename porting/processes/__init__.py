"""Child processes and temporary folders that end with the run that they are for."""

from porting.processes.running import Guarded, Ran, run
from porting.processes.scratch import remove_live, scratch_folder

__all__ = ["Guarded", "Ran", "remove_live", "run", "scratch_folder"]
