"""The compiled core under one typed name: nothing else imports `runtime._core`."""

try:
    from runtime._core import (
        MIN_SECRET,
        Call,
        Credentials,
        FullError,
        Library,
        LibraryError,
        Mailbox,
        Memory,
        Message,
        Node,
        Notifier,
        OutputPipe,
        SenderDiedError,
        Symbol,
        Targets,
        TlsError,
        accumulate,
        bytes_of,
        call,
        checksum,
        make_credentials,
        make_node,
        make_targets,
        open_channel,
        open_mailbox,
        pack,
        range_of_buffer,
        range_of_dlpack,
        socket_name,
        tls_unavailable,
        unpack,
        watch_output,
    )
except ModuleNotFoundError as error:
    if error.name != "runtime._core":
        raise
    _HINT = (
        f"runtime._core is not built for the package at {__file__.rpartition('/')[0]}; "
        "in a checkout that is the source folder, which hides an installed eclosion: "
        "work from another folder, or run `pip install -e .`"
    )
    raise ModuleNotFoundError(_HINT, name=error.name) from error

__all__ = [
    "MIN_SECRET",
    "Call",
    "Credentials",
    "FullError",
    "Library",
    "LibraryError",
    "Mailbox",
    "Memory",
    "Message",
    "Node",
    "Notifier",
    "OutputPipe",
    "SenderDiedError",
    "Symbol",
    "Targets",
    "TlsError",
    "accumulate",
    "bytes_of",
    "call",
    "checksum",
    "make_credentials",
    "make_node",
    "make_targets",
    "open_channel",
    "open_mailbox",
    "pack",
    "range_of_buffer",
    "range_of_dlpack",
    "socket_name",
    "tls_unavailable",
    "unpack",
    "watch_output",
]
