"""nginx; see nginx.org/en/docs."""

import re
from collections.abc import Mapping, Sequence

from benchsuite.core.specs import Within
from benchsuite.fronts.base import Address
from benchsuite.fronts.program import CERTIFICATE, COMMON, FILES, ProgramFront
from benchsuite.system import network


class Nginx(ProgramFront):
    """A master and worker processes, each with an event loop."""

    name = program = "nginx"
    package = "nginx-light"
    least_version = (1, 19, 5)  # the first with -e
    template = "nginx.conf"
    balances = {"round_robin": "", "least_connections": "least_conn"}
    complaint = re.compile(r"\[emerg\] (?:\d+#\d+: )?(.+)")
    special = '\\"'
    parallel_option = "processes"
    options = {**COMMON, "processes": 1}
    limits = {"processes": Within(1)}

    def argv(self) -> list[str]:
        folder = self.place.folder
        config = folder / self.template
        return [self.executable(), "-p", f"{folder}/", "-c", str(config), "-e", "stderr"]

    def check_argv(self) -> list[str]:
        return [*self.argv(), "-t", "-q"]

    def values(self, host: str, port: int, upstreams: Sequence[Address]) -> Mapping[str, object]:
        idle = int(self.settings["upstream_keep_alive"])
        balance = self.balances[str(self.settings["balance"])]
        return {
            # 32 besides those of clients: its listening sockets, its channel.
            "worker_connections": FILES * self.clients + 32,
            "descriptors": FILES * self.clients + network.LEAST,
            "connection": "" if idle else "close",
            "balance": f"        {balance};\n" if balance else "",
            # max_fails=0: an instance that failed is tried again.
            "servers": "\n".join(
                f"        server {name}:{at} max_fails=0;" for name, at in upstreams
            ),
            "keep_alive": (
                f"        keepalive {idle};\n"
                "        keepalive_requests 1000000000;\n"
                f"        keepalive_timeout {self.settings['upstream_idle_s']}s;"
                if idle
                else "        # Connections to the instances are not kept."
            ),
            "tls": " ssl" if self.settings["tls"] else "",
            # Relative to the configuration: in a full path a $ would start a variable.
            "tls_files": "".join(
                f"        {name} {CERTIFICATE};\n"
                for name in ("ssl_certificate", "ssl_certificate_key")
                if self.settings["tls"]
            ),
        }
