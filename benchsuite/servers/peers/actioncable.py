"""Rails' Action Cable on puma; see guides.rubyonrails.org/action_cable_overview.html."""

from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.servers.base import THREADS, Available
from benchsuite.servers.peers.base import PROGRAMS, PeerAdapter
from benchsuite.system import programs

PACKAGES = "apt install ruby-actioncable ruby-websocket-driver puma"
ASK = 'require "action_cable/version"; puts ActionCable.version'


class ActionCable(PeerAdapter):
    """An event loop that reads, and threads that run the channels; its layer is in memory."""

    name = "peer-actioncable"
    distribution = "actioncable"
    threads_word = "threads"
    default_threads = THREADS
    dialect = "benchsuite.load.client.websocket.dialects.ActionCable"

    def argv(self, host: str, port: int) -> list[str]:
        bind = f"tcp://{host}:{port}?backlog={self.settings['backlog']}"
        threads = f"{self.threads}:{self.threads}"
        # "-C -": no configuration file.
        command = [programs.find_program("puma") or "puma", "-C", "-", "-q", "-e", "production"]
        return [*command, "-b", bind, "-t", threads, str(PROGRAMS / "actioncable.ru")]

    def env(self) -> dict[str, str]:
        own = {"BENCHSUITE_THREADS": str(self.threads), "RUBYOPT": "", "WEB_CONCURRENCY": "0"}
        return {**own, **super().env()}

    @classmethod
    def version(cls, python: Interpreter = OWN) -> str | None:
        return programs.program_version("ruby", "-e", ASK)

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        for program in ("ruby", "puma"):
            if programs.find_program(program) is None:
                return Available(False, f"{program} is not installed", PACKAGES)
        if cls.version() is None:
            return Available(False, "actioncable is not installed", PACKAGES)
        return Available(True)
