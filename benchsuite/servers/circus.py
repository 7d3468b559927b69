"""Circus listens, and starts a server on its socket for each process (circus.readthedocs.io);
Chaussette runs WSGI applications on such a socket, in one process (chaussette.readthedocs.io).
"""

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from pkgutil import resolve_name
from string import Template
from typing import ClassVar

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import Option
from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.servers import BUILTIN
from benchsuite.servers.base import BACKLOG, FOR_ALL, Available, ServerAdapter
from benchsuite.servers.launched import Bjoern, Meinheld

TEMPLATE = Path(__file__).parent / "conf" / "circus.ini"
LONGEST_PATH = 107  #: Bytes in the path of a Unix socket (`sun_path` without its end).
UNWRITABLE = re.compile(r"\s;|\(circus\.")  #: Starts a comment or a variable in its configuration.


class Chaussette(ServerAdapter):
    """What all back ends share; `backend` is Chaussette's name for one."""

    interface = "wsgi"
    distribution = "chaussette"
    program = "benchsuite.servers.launchers.chaussette"
    max_processes = 1
    line = "FLAGS WHERE APPLICATION"
    listens = "--host {host} --port {port}"
    inherits = "--fd {descriptor}"
    flags = {"--backend=": "backend", "--nodelay": "nodelay"}
    backend: ClassVar[str]
    inside: ClassVar[type[ServerAdapter] | None] = None  #: The one that must be available, too.

    @property
    def served(self) -> str:
        return self.application.wsgi.replace(":", ".")

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        own = super().available(python)
        return own & cls.inside.available(python) if cls.inside else own


class ChaussetteGevent(Chaussette):
    """A greenlet for each connection; two packets a response stall keep-alive without `nodelay`."""

    name = "chaussette-gevent"
    backend = "gevent"
    companions = ("gevent",)
    for_threads = "it has a greenlet for each connection; take gunicorn-gthread for threads"
    options = {"nodelay": False}


class ChaussetteBjoern(Chaussette):
    """bjoern; one request at a time in each process."""

    name = "chaussette-bjoern"
    backend = "bjoern"
    inside = Bjoern
    one_at_a_time = True


class ChaussetteMeinheld(Chaussette):
    """meinheld, with sockets patched to its greenlets; closes every connection. A request waiting
    for a socket lets others run; one that computes or sleeps doesn't.
    """

    name = "chaussette-meinheld"
    backend = "meinheld"
    inside = Meinheld
    one_at_a_time = True
    keeps_alive = False
    finishes_in_flight = True


class Circus(ServerAdapter):
    """A `circusd` that starts a server once for each process; `under()` makes its subclasses."""

    distribution = "circus"
    started: ClassVar[type[ServerAdapter]]

    def _check(self) -> None:
        super()._check()
        options = {name: self.settings[name] for name in (*FOR_ALL, *self.started.options)}
        inner = replace(self.spec, server=self.started.name, processes=1, options=options)
        self.copy = self.started(inner, self.application, self.place)  #: As each is started.

    def argv(self, host: str, port: int) -> list[str]:
        file = str(self.place.folder / "circus.ini")
        return [*self.python.module("circus.circusd"), "--log-level", "error", file]

    def config_files(self, host: str, port: int) -> Mapping[str, str]:
        endpoint = self.place.folder / "circus.endpoint"
        if len(os.fsencode(endpoint)) > LONGEST_PATH or UNWRITABLE.search(str(endpoint)):
            raise UsageError(
                f"Circus can't listen on the Unix socket {endpoint}, whose path may have "
                f"{LONGEST_PATH} bytes, neither ' ;' nor '(circus.'; set TMPDIR to another folder."
            )
        content = Template(TEMPLATE.read_text()).substitute(
            folder=self.place.folder,
            host=host,
            port=port,
            backlog=self.settings.get("backlog", BACKLOG),
            cmd=shlex.join(self.copy.argv_on_socket("$(circus.sockets.web)")),
            processes=self.processes,
        )
        return {**self.copy.config_files(host, port), "circus.ini": content}

    def env(self) -> dict[str, str]:
        return self.copy.env()

    def shared_memory(self) -> str:
        return self.copy.shared_memory()

    def at_once(self) -> int | None:
        each = self.copy.at_once()
        return each and self.processes * each

    def expected_processes(self) -> int:
        return 1 + self.processes * self.copy.expected_processes()

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


FACTS = (
    *("interface", "threads_word", "default_threads", "for_threads", "one_at_a_time"),
    *("keeps_alive", "keeps_threads", "websocket", "finishes_in_flight", "limits", "knobs"),
    *("remedies", "foreign"),
)
"""What is true of Circus as it is of the server that it starts."""


def under(started: type[ServerAdapter]) -> type[Circus]:
    """Circus with that server; all but the number of processes is as that server has it."""
    # Gunicorn's ASGI worker listens with 100.
    own: dict[str, Option] = {} if started.name == "gunicorn-asgi" else {"backlog": BACKLOG}
    content = {
        **{fact: getattr(started, fact) for fact in FACTS},
        "__module__": __name__,
        "name": f"circus-{started.name}",
        "started": started,
        "options": {**own, **started.options},
    }
    return type(f"Circus{started.__name__}", (Circus,), content)


ALONE = {made.name: made for made in (ChaussetteGevent, ChaussetteBjoern, ChaussetteMeinheld)}
for name in [name.removeprefix("circus-") for name in BUILTIN if name.startswith("circus-")]:
    vars()[f"circus-{name}"] = under(ALONE.get(name) or resolve_name(BUILTIN[name]))
