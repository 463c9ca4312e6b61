"""What a host proves to others: a shared secret, certificates, or on one machine nothing."""

from __future__ import annotations

import os
import stat

from runtime import config, core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from runtime.actor.hosts.addresses import Address

    Pem = bytes | str | os.PathLike[str]

TRUST_ALL = "trust_all_connections"

#: What takes the place of a secret where everybody is trusted: it proves nothing, and makes a
#: host that trusts everybody and one that does not refuse each other.
_OPEN = b"every connection is trusted here"
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class CredentialsError(ValueError):
    """What was given does not secure a connection between hosts; the text says what to give."""


def credentials(
    private_key: Pem | tuple[Pem, Pem] | None,
    ca: Pem | None,
    addresses: Sequence[Address],
) -> core.Credentials:
    """Return what connections to or at these addresses prove.

    `ca` is the authority's certificate, then `private_key` is a file with the certificate and its
    key, or the two; or it is "trust_all_connections", for addresses of this machine alone; or
    None, and the shared secret of `secret_file` is all. With a secret and certificates a peer
    needs both. CredentialsError when there is neither, or one cannot be used.
    """
    if ca == TRUST_ALL:
        for each in addresses:
            if not each.of_this_machine:
                raise CredentialsError(
                    f"{each} can be reached from other machines, and with ca={TRUST_ALL!r} anybody "
                    "there may run code here; use 127.0.0.1 or ipc://, a shared secret "
                    "(ECLOSION_SECRET_FILE), or certificates (ca, private_key)"
                )
        return core.make_credentials(_OPEN)
    secret = shared_secret()
    if ca is None and private_key is not None:
        raise CredentialsError("private_key was given without ca, the authority that peers are of")
    if ca is None and secret:
        _refuse_tls_without_certificates(addresses)
        return core.make_credentials(secret)
    if ca is None:
        raise CredentialsError(
            "there is neither a shared secret nor an authority: set secret_file "
            "(ECLOSION_SECRET_FILE) to a file with the secret of the hosts, or give ca and "
            f"private_key; on one machine ca={TRUST_ALL!r} will do"
        )
    if private_key is None:
        raise CredentialsError("ca was given without private_key: both sides show a certificate")
    return _with_certificates(secret, private_key, ca)


def shared_secret() -> bytes:
    """Return the secret of secret_file without the newline at its end; empty when none is set.

    CredentialsError for a file that others can read or write, or whose secret is short.
    """
    path = config.get("secret_file")
    if not path:
        return b""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - one descriptor to check and to read
            status = os.fstat(file.fileno())
            _refuse_shared(path, status)
            secret = file.read().rstrip(b"\r\n")
    except OSError as error:
        raise CredentialsError(f"secret_file {path} cannot be read: {error.strerror}") from None
    if len(secret) < core.MIN_SECRET:
        raise CredentialsError(
            f"the secret in {path} has {len(secret)} bytes, and {core.MIN_SECRET} are needed; "
            f"make one with: head -c 32 /dev/urandom | base64 > {path}"
        )
    return secret


def _refuse_shared(path: str, status: os.stat_result) -> None:
    if status.st_uid not in (os.geteuid(), 0):
        raise CredentialsError(
            f"secret_file {path} belongs to user {status.st_uid}; whoever owns it knows the secret"
        )
    if status.st_mode & _OTHERS:
        mode = stat.S_IMODE(status.st_mode)
        raise CredentialsError(
            f"secret_file {path} has mode {mode:04o}, so other users have a hold on it; "
            f"chmod 600 {path}"
        )


def _refuse_tls_without_certificates(addresses: Sequence[Address]) -> None:
    for each in addresses:
        if each.scheme == "tls":
            raise CredentialsError(f"{each} is for TLS, which needs certificates: ca, private_key")


def _with_certificates(secret: bytes, key: Pem | tuple[Pem, Pem], ca: Pem) -> core.Credentials:
    certificate, private = key if isinstance(key, tuple) else (key, key)
    kept: list[int] = []
    try:
        files = (_path(certificate, kept), _path(private, kept), _path(ca, kept))
        return core.make_credentials(secret, files)
    except core.TlsError as error:
        raise CredentialsError(str(error)) from None
    finally:
        for fd in kept:
            os.close(fd)


def _path(pem: Pem, kept: list[int]) -> str:
    """Return the path of a file; bytes are put into memory that has one."""
    if not isinstance(pem, bytes):
        return os.fspath(pem)
    fd = os.memfd_create("pem", os.MFD_CLOEXEC)
    kept.append(fd)
    os.write(fd, pem)
    return f"/proc/self/fd/{fd}"
