"""How our clients speak TLS, and whom they trust. Standard library only."""

import ipaddress
import socket
import ssl


def client_context(host: str) -> ssl.SSLContext:
    """For HTTP/1.1 over TLS to this host, whose certificate must be valid, except on loopback.

    On loopback nobody can intercept the connection, the run's token identifies the server, and
    certificates are mostly self-signed.
    """
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    context.options |= ssl.OP_NO_RENEGOTIATION  # nothing can be sent during one
    if is_loopback(host):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def is_loopback(host: str) -> bool:
    """Whether every address of this name is a loopback address; False for unknown names."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return False
    addresses = {str(entry[4][0]).partition("%")[0] for entry in found}
    return bool(addresses) and all(ipaddress.ip_address(one).is_loopback for one in addresses)


def words(error: ssl.SSLError) -> str:
    """OpenSSL's message without its source location: "wrong version number"."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate is invalid ({error.verify_message})"
    return (error.reason or str(error)).replace("_", " ").lower()
