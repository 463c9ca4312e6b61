"""Serve this machine as a second host, on the port that the command line gives.

python -m actor_soak.host DIAL_PORT BIND_PORT
"""

import sys
import threading
import time

from .sampling import give_back
from .talker import api

_PAUSE = 1.0


def address(dial: int, bind: int | None = None) -> str:
    """Return the address of a host that is dialled at one port and listens at another."""
    there = f"tcp://127.0.0.1:{dial}"
    return f"{there}@tcp://127.0.0.1:{bind}" if bind is not None else there


def _keep_giving_back() -> None:
    """Leave no memory that was freed in what is seen of this process from outside."""
    while True:
        time.sleep(_PAUSE)
        give_back()


if __name__ == "__main__":
    threading.Thread(target=_keep_giving_back, daemon=True).start()
    api.run_worker_loop_forever(
        ca="trust_all_connections", address=address(int(sys.argv[1]), int(sys.argv[2]))
    )
