"""What servers that are libraries share: a launcher of ours that starts and forks them."""

from benchsuite.servers.base import BACKLOG, ServerAdapter


class Launched(ServerAdapter):
    """Processes on one socket, watched by another one if there are several.

    The launcher is the module of `launchers` named after the distribution.
    """

    options = {"backlog": BACKLOG}

    def argv(self, host: str, port: int) -> list[str]:
        return self._listening("--bind", f"{host}:{port}")

    def argv_on_socket(self, descriptor: str) -> list[str]:
        return self._listening("--fd", descriptor)

    def _listening(self, *where: str) -> list[str]:
        words = [*where, "--processes", str(self.processes)]
        if self.threads_word is not None:
            words += ["--threads", str(self.threads)]
        words += ["--backlog", str(self.settings["backlog"])]
        if "keep_alive_s" in self.settings:
            words += ["--keep-alive", str(self.settings["keep_alive_s"])]
        launcher = f"benchsuite.servers.launchers.{self.distribution}"
        return [*self.python.module(launcher), self.application.wsgi, *words]

    def expected_processes(self) -> int:
        return 1 if self.processes == 1 else 1 + self.processes
