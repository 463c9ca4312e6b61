"""Identities of nodes and actors: whose a node is, and that new ones are of their host."""

from runtime.actor.nodes import gateway_of, new_actor_id, new_gateway, new_node


def test_gateway_of_a_node_when_it_is_of_a_host() -> None:
    gateway = new_gateway()
    node = new_node(gateway)
    assert gateway_of(node) == gateway_of(gateway) == gateway
    assert gateway == gateway >> 32 << 32
    assert 0 < node - gateway < 1 << 32
    assert gateway_of(0xFFFFFFFF_FFFFFFFF) == 0xFFFFFFFF_00000000


def test_actors_when_they_are_new_are_neither_agents_nor_channels() -> None:
    assert all(1 << 32 <= new_actor_id() < 1 << 63 for _ in range(100))
