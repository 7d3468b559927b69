"""How our clients speak TLS, and whom they believe. Standard library only."""

import ipaddress
import socket
import ssl


def client_context(host: str) -> ssl.SSLContext:
    """For HTTP/1.1 over TLS to this host, whose certificate must hold, unless it is this machine.

    A certificate says who answers. On loopback nobody can come between, and the token of the run
    says who answers; the certificate there is mostly one that the server signed for itself.
    """
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    context.options |= ssl.OP_NO_RENEGOTIATION  # in the middle of it nothing can be sent
    if is_loopback(host):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def is_loopback(host: str) -> bool:
    """Whether every address of this name is one of this machine's own; False for unknown names."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return False
    addresses = {str(entry[4][0]).partition("%")[0] for entry in found}
    return bool(addresses) and all(ipaddress.ip_address(one).is_loopback for one in addresses)


def words(error: ssl.SSLError) -> str:
    """What OpenSSL says, without the place in its source: "wrong version number"."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate does not hold ({error.verify_message})"
    return (error.reason or str(error)).replace("_", " ").lower()
