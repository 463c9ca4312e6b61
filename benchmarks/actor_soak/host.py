"""Serve this machine as a second host, on the port that the command line gives.

python -m actor_soak.host DIAL_PORT BIND_PORT
"""

import sys

from .talker import api


def address(dial: int, bind: int | None = None) -> str:
    """Return the address of a host that is dialled at one port and listens at another."""
    there = f"tcp://127.0.0.1:{dial}"
    return f"{there}@tcp://127.0.0.1:{bind}" if bind is not None else there


if __name__ == "__main__":
    api.run_worker_loop_forever(
        ca="trust_all_connections", address=address(int(sys.argv[1]), int(sys.argv[2]))
    )
