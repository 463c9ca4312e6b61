"""Print the CUDA home of the demo: CUDA_HOME where it is set, else one from wheels."""

import json
import os
import subprocess
import sys


def main() -> int:
    """Print one path."""
    if chosen := os.environ.get("CUDA_HOME"):
        print(chosen)
        return 0
    command = [sys.executable, "-m", "porting", "sysroot", "create", "--platform", "cuda"]
    done = subprocess.run(
        [*command, "--format", "json"], stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        return done.returncode
    print(json.loads(done.stdout)["path"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
