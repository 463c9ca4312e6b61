"""A module after whose import a process can fork no more, be it root's or not."""

import os
import resource

if os.getuid() == 0:
    os.setuid(65534)  # limits of processes do not bind root
resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
