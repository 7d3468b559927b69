"""Circus with each server that takes a listening socket; see circus.readthedocs.io.

Circus listens, starts one server for each process, and hands its socket to each.
"""

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from string import Template
from typing import Any, ClassVar

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import ServerSpec
from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.servers.base import BACKLOG, Application, Available, Place, ServerAdapter
from benchsuite.servers.bjoern import Bjoern
from benchsuite.servers.chaussette import ChaussetteBjoern, ChaussetteGevent, ChaussetteMeinheld
from benchsuite.servers.daphne import Daphne
from benchsuite.servers.gunicorn import (
    GunicornAsgi,
    GunicornGevent,
    GunicornGthread,
    GunicornSync,
    GunicornTornado,
    GunicornUvicorn,
)
from benchsuite.servers.hypercorn import Hypercorn
from benchsuite.servers.meinheld import Meinheld
from benchsuite.servers.tornado import Tornado
from benchsuite.servers.uvicorn import Uvicorn
from benchsuite.servers.uwsgi import UwsgiHttpSocket
from benchsuite.servers.waitress import Waitress

TEMPLATE = Path(__file__).parent / "conf" / "circus.ini"
LONGEST_PATH = 107  #: Bytes in the path of a Unix socket (`sun_path` without its end).
UNWRITABLE = re.compile(r"\s;|\(circus\.")
"""Characters that start a comment or a variable in Circus's configuration."""


class Circus(ServerAdapter):
    """A `circusd` that starts the subclass's server once for each process.

    All facts are those of that server, except for the number of processes.
    """

    distribution = "circus"
    started: ClassVar[type[ServerAdapter]]

    def __init_subclass__(cls, *, starts: type[ServerAdapter], **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.started = starts
        cls.name = f"circus-{starts.name}"
        cls.interface = starts.interface
        cls.threads_word = starts.threads_word
        cls.default_threads = starts.default_threads
        cls.for_threads = starts.for_threads
        cls.one_at_a_time = starts.one_at_a_time
        cls.keeps_alive = starts.keeps_alive
        cls.websocket = starts.websocket
        cls.finishes_in_flight = starts.finishes_in_flight
        cls.options = vars(cls).get("options", {"backlog": BACKLOG, **starts.options})

    def __init__(
        self, spec: ServerSpec, application: Application, place: Place | None = None
    ) -> None:
        super().__init__(spec, application, place)
        options = {name: self.settings[name] for name in self.started.options}
        one = replace(spec, server=self.started.name, processes=1, options=options)
        self.one = self.started(one, application, self.place)
        """The server as each copy is started."""

    def argv(self, host: str, port: int) -> list[str]:
        file = str(self.place.folder / "circus.ini")
        return [*self.python.module("circus.circusd"), "--log-level", "error", file]

    def config_files(self, host: str, port: int) -> Mapping[str, str]:
        endpoint = self.place.folder / "circus.endpoint"
        if (size := len(os.fsencode(endpoint))) > LONGEST_PATH:
            raise UsageError(
                f"{self.name} listens on a Unix socket, whose path may have {LONGEST_PATH} bytes, "
                f"and {endpoint} has {size}; set TMPDIR to a shorter path."
            )
        if found := UNWRITABLE.search(str(endpoint)):
            raise UsageError(
                f"Circus can't listen on {endpoint}, because {found[0]!r} is special in its "
                "configuration; set TMPDIR to a folder without it."
            )
        content = Template(TEMPLATE.read_text()).substitute(
            folder=self.place.folder,
            host=host,
            port=port,
            backlog=self.settings.get("backlog", BACKLOG),
            cmd=shlex.join(self.one.argv_on_socket("$(circus.sockets.web)")),
            processes=self.processes,
        )
        return {"circus.ini": content}

    def env(self) -> dict[str, str]:
        return self.one.env()

    def shared_memory(self) -> str:
        return self.one.shared_memory()

    def expected_processes(self) -> int:
        return 1 + self.processes * self.one.expected_processes()

    @classmethod
    def version(cls, python: Interpreter = OWN) -> str | None:
        own, started = super().version(python), cls.started.version(python)
        return own and started and f"{own} with {cls.started.distribution} {started}"

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        own = Available(True)
        if python.installed(cls.distribution) is None:
            own = Available(False, "circus is not installed", "pip install circus")
        return own & cls.started.available(python)

    def _check(self) -> None:
        super()._check()
        self._at_least(1, *({"backlog"} & self.settings.keys()))


class CircusGunicornSync(Circus, starts=GunicornSync): ...


class CircusGunicornGthread(Circus, starts=GunicornGthread): ...


class CircusGunicornGevent(Circus, starts=GunicornGevent): ...


class CircusGunicornTornado(Circus, starts=GunicornTornado): ...


class CircusGunicornUvicorn(Circus, starts=GunicornUvicorn): ...


class CircusGunicornAsgi(Circus, starts=GunicornAsgi):
    """Listens with a backlog of 100, whatever Circus sets."""

    options = GunicornAsgi.options


class CircusUwsgiHttpSocket(Circus, starts=UwsgiHttpSocket): ...


class CircusUvicorn(Circus, starts=Uvicorn): ...


class CircusDaphne(Circus, starts=Daphne): ...


class CircusHypercorn(Circus, starts=Hypercorn): ...


class CircusTornado(Circus, starts=Tornado): ...


class CircusWaitress(Circus, starts=Waitress): ...


class CircusBjoern(Circus, starts=Bjoern): ...


class CircusMeinheld(Circus, starts=Meinheld): ...


class CircusChaussetteGevent(Circus, starts=ChaussetteGevent): ...


class CircusChaussetteBjoern(Circus, starts=ChaussetteBjoern): ...


class CircusChaussetteMeinheld(Circus, starts=ChaussetteMeinheld): ...
