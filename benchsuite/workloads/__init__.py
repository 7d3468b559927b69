"""Workloads by what they load; plain Python that imports neither Locust nor Django."""


def _paths(module: str, *names: str) -> dict[str, str]:
    """Dotted paths of classes by their names: io_read is IoRead."""
    return {name: f"{__name__}.{module}.{name.title().replace('_', '')}" for name in names}


def _twins(*names: str) -> tuple[str, ...]:
    """These, and what does the same in async views."""
    return tuple(f"{name}{kind}" for name in names for kind in ("", "_async"))


BUILTIN: dict[str, str] = {
    **_paths("pages", *_twins("plain", "get", "echo", "sleep", "cpu")),
    **_paths("pages", *_twins("io_create", "io_read", "io_join", "io_lock")),
    **_paths("pages", *_twins("bench_app", "upstream"), "layer"),
    **_paths("streams", "sse"),
    **_paths("survey", "survey"),
    **_paths("streams", "ws_connect", "ws_echo", "ws_broadcast", "ws_reconnect", "ws_idle"),
    **_paths("mixed", "mixed"),
    **_paths("project", "url", "locustfile"),
}
