"""What the runtime tells about itself while it runs: counts, times, spans. It only emits.

Each process has one `state`. Counting what an actor handles is always on; everything else only
when somebody asked for it (`state.on`), so that it costs one test otherwise.
"""

from runtime.telemetry.state import State, state
from runtime.telemetry.watch import Span, Watch

__all__ = ["Span", "State", "Watch", "state"]
