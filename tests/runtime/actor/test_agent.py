"""The agent of a process: what one message or one timer does wrong stays with that one."""

import pytest

from runtime import actor as ra
from runtime import core
from runtime.actor import sending
from runtime.actor.agent import Agent
from runtime.actor.local import Local, local
from runtime.actor.nodes import new_gateway
from runtime.actor.replies import problem_of

SECONDS = 10.0


def test_request_when_the_agent_cannot_serve_it(procs: ra.ProcMesh, quiet: None) -> None:
    nodes = [local().node.id, *procs._nodes]
    for method, why in [("of_another_release", "no agent knows"), ("log_options", "EOFError")]:
        to = sending.agents(nodes)
        call = core.call(local().node, to, sending.AGENT, method, (), b"", [], SECONDS, "")
        assert call.wait(SECONDS)
        problem = call.problem()
        assert problem is not None
        assert why in str(problem_of(problem, method))


def test_timer_when_the_one_before_it_raises(capsys: pytest.CaptureFixture[str]) -> None:
    here = Local(new_gateway(), "alone")
    agent = Agent(here, lambda _instance, _spec: None)

    def fail() -> None:
        raise RuntimeError("no thread can be started")

    agent.after(0.0, fail)
    agent.after(0.0, agent.leave)
    agent.run()
    assert agent.leaving
    assert "no thread can be started" in capsys.readouterr().err
