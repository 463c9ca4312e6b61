"""The ways between processes that a program may name, as PyTorch Monarch names them."""

from __future__ import annotations

from enum import Enum

from runtime import config, core
from runtime.actor import local
from runtime.actor.hosts import addresses


class ChannelTransport(Enum):
    """How processes reach each other. On one host that is always a unix socket."""

    Unix = "unix"
    Local = "local"
    TcpWithLocalhost = "tcp-localhost"
    TcpWithHostname = "tcp"
    Tls = "tls"

    @property
    def setting(self) -> str:
        """What the setting `transport` calls it."""
        return _KINDS.get(self, "unix")


_SHORT = {
    "unix": ChannelTransport.Unix,
    "ipc": ChannelTransport.Unix,
    "tcp": ChannelTransport.TcpWithHostname,
    "tls": ChannelTransport.Tls,
}


def enable_transport(transport: ChannelTransport | str) -> None:
    """Say, before the first mesh or in the script of a host, how hosts are reached.

    It is the setting `transport`: an address without a scheme is one of it, and after "tls" one
    without TLS is refused. ValueError for a transport that there is not or that this machine
    lacks, RuntimeError when the program has begun.
    """
    chosen = _chosen(transport)
    if local.present() is not None:
        raise RuntimeError("enable_transport comes before the first mesh of a program")
    if chosen is ChannelTransport.Tls:
        reason = core.tls_unavailable()
        if reason:
            raise ValueError(f"TLS is not available: {reason}")
    config.configure(transport=chosen)


_KINDS = {
    ChannelTransport.TcpWithLocalhost: "tcp",
    ChannelTransport.TcpWithHostname: "tcp",
    ChannelTransport.Tls: "tls",
}


def _chosen(transport: ChannelTransport | str) -> ChannelTransport:
    if isinstance(transport, ChannelTransport):
        return transport
    if "://" in transport:
        return _SHORT[addresses.parsed(transport)[0].scheme]
    found = _SHORT.get(transport)
    if found is None:
        known = ", ".join(_SHORT)
        raise ValueError(f"there is no transport {transport!r}; there are {known}, or an address")
    return found
