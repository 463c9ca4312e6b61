"""Probe one vendor library inside this process."""

from dataclasses import dataclass, replace

from runtime.core import Library, LibraryError
from runtime.devices.calls import Calls
from runtime.devices.record import Finding, VendorLibrary


@dataclass(frozen=True)
class Opened:
    """A library that the loader accepted, and what can be said before its first call."""

    record: VendorLibrary
    handle: Library
    so_far: Finding


def open_library(record: VendorLibrary) -> Opened | Finding:
    """Open the library, sharing a copy that is already here; return the finding if it fails."""
    try:
        handle = Library(record.sonames)
    except LibraryError as error:
        reason = "; ".join(text for _, text in error.failures)
        return Finding(record.name, record.purpose, works=False, detail=reason, help=record.help)
    so_far = Finding(
        record.name,
        record.purpose,
        works=False,
        detail="opened, not yet called",
        path=handle.path,
        origin="shared" if handle.shared else "loaded",
        help=record.help,
    )
    return Opened(record, handle, so_far)


def prove(opened: Opened) -> Finding:
    """Make the proving call. It runs foreign code: a broken driver can crash or hang here."""
    symbols = opened.handle.resolve((*opened.record.required, *opened.record.optional))
    missing = [row for row in symbols if row.address is None]
    for row in missing:
        if row.name in opened.record.required:
            return replace(opened.so_far, detail=f"{row.name} is missing: {row.reason}")
    evidence = opened.record.prove(Calls(symbols))
    return replace(
        opened.so_far,
        works=evidence.works,
        detail=evidence.detail,
        version=evidence.version,
        help=None if evidence.works else opened.record.help,
    )


def probe(record: VendorLibrary) -> Finding:
    """Open the library and make its proving call, both in this process."""
    opened = open_library(record)
    return opened if isinstance(opened, Finding) else prove(opened)
