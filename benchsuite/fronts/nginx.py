"""nginx; see nginx.org/en/docs."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import Within
from benchsuite.fronts.base import Address
from benchsuite.fronts.program import (
    CERTIFICATE,
    COMMON,
    FILES,
    IP_HASH,
    LEAST_CONNECTIONS,
    ROUND_ROBIN,
    ProgramFront,
)
from benchsuite.system import network
from benchsuite.telemetry.prober.answer import RUN_HEADER

SPARE_CONNECTIONS = 32
"""A process's connections besides those of clients: its listening sockets, its channel."""

UNWRITABLE = re.compile(r'["$\\\s;{}]')  #: Special characters in a URL of nginx's configuration.

TYPES = """
        types {
            text/css css;
            text/html html htm;
            text/plain txt;
            text/javascript js mjs;
            application/json json map;
            application/manifest+json webmanifest;
            application/pdf pdf;
            application/wasm wasm;
            application/xml xml;
            font/woff woff;
            font/woff2 woff2;
            image/gif gif;
            image/jpeg jpg jpeg;
            image/png png;
            image/svg+xml svg;
            image/webp webp;
            image/x-icon ico;
        }"""
"""MIME types of static files; the path of nginx's own list differs between systems."""


class Nginx(ProgramFront):
    """A master and worker processes, each with an event loop."""

    name = "nginx"
    program = "nginx"
    package = "nginx-light"
    least_version = (1, 19, 5)  # the first with -e
    template = "nginx.conf"
    balances = {ROUND_ROBIN: "", LEAST_CONNECTIONS: "least_conn", IP_HASH: "ip_hash"}
    complaint = re.compile(r"\[emerg\] (?:\d+#\d+: )?(.+)")
    parallel_option = "processes"
    options = {**COMMON, "processes": 1, "static": False}
    limits = {"processes": Within(1)}

    def argv(self) -> list[str]:
        folder = self.place.folder
        config = folder / self.template
        return [self.executable(), "-p", f"{folder}/", "-c", str(config), "-e", "stderr"]

    def check_argv(self) -> list[str]:
        return [*self.argv(), "-t", "-q"]

    def expected_processes(self) -> int:
        return 1 + int(self.settings["processes"])

    @staticmethod
    def escaped(path: Path) -> str:
        return re.sub(r'([\\"])', r"\\\1", str(path))

    def values(self, host: str, port: int, upstreams: Sequence[Address]) -> Mapping[str, object]:
        idle = int(self.settings["upstream_keep_alive"])
        balance = self.balances[str(self.settings["balance"])]
        return {
            "processes": self.settings["processes"],
            "worker_connections": FILES * self.clients + SPARE_CONNECTIONS,
            "descriptors": FILES * self.clients + network.LEAST,
            "connection": "" if idle else "close",
            "balance": f"        {balance};\n" if balance else "",
            # max_fails=0: an instance that failed is tried again.
            "servers": "\n".join(
                f"        server {one}:{at} max_fails=0;" for one, at in upstreams
            ),
            "keep_alive": self._keep_alive(idle),
            "tls": " ssl" if self.settings["tls"] else "",
            "tls_files": self._certificate() if self.settings["tls"] else "",
            "static": self._static(),
        }

    def _keep_alive(self, idle: int) -> str:
        if not idle:
            return "        # Connections to the instances are not kept."
        return (
            f"        keepalive {idle};\n"
            "        keepalive_requests 1000000000;\n"
            f"        keepalive_timeout {self.settings['upstream_idle_s']}s;"
        )

    def _certificate(self) -> str:
        # Relative to the configuration: in a full path a $ would start a variable.
        return (
            f"        ssl_certificate {CERTIFICATE};\n        ssl_certificate_key {CERTIFICATE};\n"
        )

    def _static(self) -> str:
        files = self.place.static
        if files is None or not self.settings["static"]:
            return ""
        return (
            f"        location {files.url} {{\n"
            f'            alias "{self.escaped(files.root)}/";\n'
            f'            add_header {RUN_HEADER} "{self.place.token}" always;\n'
            f"        }}{TYPES}\n"
        )

    def ensure_servable(self) -> None:
        super().ensure_servable()
        files = self.place.static
        if not files or not self.settings["static"]:
            return
        if UNWRITABLE.search(files.url):
            raise UsageError(
                f"static=yes can't serve at {files.url} (STATIC_URL): nginx allows no space, quote "
                "or any of $ \\ ; { } there; remove it."
            )
        if "$" in str(files.root):
            raise UsageError(
                f"static=yes can't serve {files.root}: nginx allows no $ in a folder's path; set "
                "another STATIC_ROOT or, if that is in TMPDIR, another TMPDIR."
            )
