"""HAProxy; see docs.haproxy.org."""

import re
from collections.abc import Mapping, Sequence

from benchsuite.core.specs import Within
from benchsuite.fronts.base import Address
from benchsuite.fronts.program import CERTIFICATE, COMMON, ProgramFront


class Haproxy(ProgramFront):
    """One process with threads, each with an event loop."""

    name = program = package = "haproxy"
    least_version = (2, 2)
    template = "haproxy.cfg"
    balances = {"round_robin": "roundrobin", "least_connections": "leastconn"}
    complaint = re.compile(r"\[ALERT\][^:]*: (?:config : |\[[\w.]+\] : )*(.+)")
    special = '\\"$'
    parallel_option = "threads"
    limits = {"threads": Within(1)}
    options = {**COMMON, "threads": 1}

    def argv(self) -> list[str]:
        # -db: one process in the foreground.
        return [self.executable(), "-db", "-f", str(self.place.folder / self.template)]

    def check_argv(self) -> list[str]:
        return [self.executable(), "-c", "-f", str(self.place.folder / self.template)]

    def values(self, host: str, port: int, upstreams: Sequence[Address]) -> Mapping[str, object]:
        idle = int(self.settings["upstream_keep_alive"])
        certificate = self.escaped(self.place.folder / CERTIFICATE)
        pool = f" pool-max-conn {idle} pool-purge-delay {self.settings['upstream_idle_s']}s"
        return {
            "balance": self.balances[str(self.settings["balance"])],
            "connection": "http-keep-alive" if idle else "http-server-close",
            "tls": f' ssl crt "{certificate}"' if self.settings["tls"] else "",
            "reuse": "safe" if idle else "never",
            "servers": "\n".join(
                f"    server instance-{number} {name}:{at}{pool if idle else ''}"
                for number, (name, at) in enumerate(upstreams, 1)
            ),
        }
