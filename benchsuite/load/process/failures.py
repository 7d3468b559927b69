"""Maps failures of foreign HTTP clients to our kinds by the names of their exceptions.

The clients of a locustfile (requests, urllib3, geventhttpclient, http.client) each have their own
classes, and none of them should be imported to find out.
"""

from benchsuite.core.samples import Kind

_KINDS = (
    (Kind.CONNECT_REFUSED, {"ConnectionRefusedError"}),
    (Kind.CONNECT_TIMEOUT, {"ConnectTimeout", "ConnectTimeoutError"}),
    (Kind.READ_TIMEOUT, {"ReadTimeout", "ReadTimeoutError", "Timeout", "TimeoutError"}),
    (
        Kind.RESET,
        {
            "BrokenPipeError",
            "ConnectionAbortedError",
            "ConnectionResetError",
            "HTTPConnectionClosed",
            "RemoteDisconnected",
        },
    ),
    (Kind.TRUNCATED, {"ChunkedEncodingError", "IncompleteRead"}),
    (
        Kind.PROTOCOL,
        {
            "BadStatusLine",
            "ContentDecodingError",
            "HTTPParseError",
            "HTTPException",
            "InvalidHeader",
            "ProtocolError",
        },
    ),
)


def kind_of(error: BaseException, *, status: int | None) -> Kind:
    """The kind of a failed request, from its exception and the status of its answer if any came."""
    if status is not None and status >= 400:
        return Kind.HTTP_STATUS
    if status:
        return _kind_by_name(error) or Kind.WRONG_BODY
    seen: BaseException | None = error
    while seen is not None:
        kind = _kind_by_name(seen)
        if kind is not None:
            return kind
        # geventhttpclient's agent keeps what it met in `original`
        seen = getattr(seen, "original", None) or seen.__cause__ or seen.__context__
    return Kind.OTHER


def _kind_by_name(error: BaseException) -> Kind | None:
    if str(error) == "Incomplete response.":  # the C parser's word for an end in the middle
        return Kind.TRUNCATED
    names = {cls.__name__ for cls in type(error).__mro__}
    return next((kind for kind, known in _KINDS if names & known), None)
