"""Apache with mod_wsgi in its modes; see modwsgi.readthedocs.io and httpd.apache.org/docs/2.4/mod.

Sizes without an option are those of the 2014 survey study.
"""

import os
import re
import signal
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from string import Template
from typing import ClassVar, NamedTuple

from benchsuite.core.specs import Option, Within
from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.servers.base import KEPT, Available, ServerAdapter
from benchsuite.servers.deploying import Deployed

PROGRAMS = ("/usr/sbin/apache2", "/usr/sbin/httpd", "/usr/bin/httpd")
MODULES = ("/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/lib/httpd/modules")

CONF = Path(__file__).parent / "conf"
AS_NOBODY = ("unshare", "--user", "--map-user=33", "--map-group=33", "--")
"""As whom Apache appears when root starts it: Debian's www-data."""

COMMON: Mapping[str, Option] = {**KEPT, "config": "", "main_interpreter": True, "timeout_s": 60}


class WsgiModule(NamedTuple):
    """One mod_wsgi and where its Python finds installed packages."""

    file: Path
    version: str
    python_home: str


def program() -> Path | None:
    return next((path for path in map(Path, PROGRAMS) if path.exists()), None)


def modules() -> Path | None:
    return next((path for path in map(Path, MODULES) if path.is_dir()), None)


@cache
def apache_version() -> str | None:
    """The version of Apache, read from the program: "2.4.71"."""
    path = program()
    match = re.search(rb"Apache/(2\.\d+\.\d+)", path.read_bytes()) if path else None
    return match.group(1).decode() if match else None


@cache
def wsgi_module(python: Interpreter) -> WsgiModule | None:
    """The one of the interpreter's environment, else the system's if it was made for it: for the
    system's Python, as the same version elsewhere is another program.
    """
    own, file = python.installed("mod_wsgi"), _system_file()
    prefix, made_with = python.folder("prefix"), tuple(map(int, python.version.split(".")[:2]))
    if own is not None:
        server = Path(python.folder("compiled"), "mod_wsgi", "server")
        if files := sorted(server.glob("mod_wsgi-py*.so")):
            return WsgiModule(files[0], own, prefix)
    if file is None or made_with != made_for() or python.folder("base") != "/usr":
        return None
    # not Python's, 3.11.1, which is in there, too
    version = re.search(rb"\0([4-9]\.\d+\.\d+)\0", file.read_bytes())
    return WsgiModule(file, version.group(1).decode() if version else "", prefix)


@cache
def made_for() -> tuple[int, int] | None:
    """The Python that the system's mod_wsgi was built for; None without one."""
    file = _system_file()
    match = re.search(rb"libpython(\d+)\.(\d+)\.so", file.read_bytes()) if file else None
    return (int(match.group(1)), int(match.group(2))) if match else None


def _system_file() -> Path | None:
    file = (modules() or Path()) / "mod_wsgi.so"
    return file if file.is_file() else None


def _may_unshare() -> bool:
    """Whether root may create a user namespace here; in many containers it may not."""
    try:
        most = int(Path("/proc/sys/user/max_user_namespaces").read_text())
        status = Path("/proc/self/status").read_text()
    except OSError:
        return False
    (rights,) = (line.split()[1] for line in status.splitlines() if line.startswith("CapEff:"))
    return most > 0 and bool(int(rights, 16) >> 21 & 1)  # CAP_SYS_ADMIN of linux/capability.h


class Apache(ServerAdapter):
    """What all modes share; `mpm` is Apache's name for the kind of process."""

    interface = "wsgi"
    distribution = "mod_wsgi"
    finishes_in_flight = True
    # "Graceful stop"; at SIGTERM it drops what it is answering.
    stop_signal = signal.SIGWINCH
    managers = 1
    limits = dict.fromkeys(("start_processes", "timeout_s"), Within(1))
    mpm: ClassVar[str]
    process_group: ClassVar[str] = "%{GLOBAL}"

    @classmethod
    def version(cls, python: Interpreter = OWN) -> str | None:
        own, module = apache_version(), wsgi_module(python)
        return f"{own} with mod_wsgi {module.version}" if own and module else None

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        module, system = wsgi_module(python), made_for()
        compiling = "apt install apache2-dev gcc python3-dev && pip install mod_wsgi"
        if program() is None or modules() is None:
            reason = "apache2 is not installed"
            command = "apt install apache2-bin libapache2-mod-wsgi-py3"
        elif module is None and system is None:
            reason = "mod_wsgi is not installed"
            command = f"apt install libapache2-mod-wsgi-py3 (for /usr/bin/python3), or {compiling}"
        elif module is None and system is not None:
            its_python = f"/usr/bin/python{system[0]}.{system[1]}"
            reason = f"the system's mod_wsgi is built for {its_python}, and this is "
            reason, command = f"{reason}{python.executable} ({python.version})", compiling
        elif os.geteuid() == 0 and not _may_unshare():
            reason = "Apache must not run as root, and no user namespace can be created for it"
            command = "run benchsuite as an ordinary user"
        else:
            return Available(True)
        return Available(False, reason, command)

    def argv(self, host: str, port: int) -> list[str]:
        words = [str(program() or "apache2"), "-f", str(self.place.folder / "apache.conf")]
        return [*(AS_NOBODY if os.geteuid() == 0 else ()), *words, "-DFOREGROUND"]

    def deployed(self, host: str, port: int) -> Deployed:
        measured = super().deployed(host, port)
        argv = [word for word in measured.argv if word not in AS_NOBODY]
        # The standard error of a unit is a socket, which can't be opened by a name.
        files = {at: one.replace("/dev/stderr", "error.log") for at, one in measured.files.items()}
        whole = re.compile(r"try:\n    (.+)\nexcept.*", re.DOTALL)  # what ends Apache in a run
        files["application.wsgi"] = whole.sub(r"\1\n", files["application.wsgi"])
        return replace(measured, argv=argv, files=files)

    def config_files(self, host: str, port: int) -> Mapping[str, str]:
        module, included = wsgi_module(self.python), self.settings["config"]
        served, _, name = self.application.wsgi.partition(":")
        script = Template((CONF / "apache.wsgi").read_text()).substitute(
            project=repr(os.getcwd()), module=served, callable=name
        )
        content = Template((CONF / "apache.conf").read_text()).substitute(
            **self.settings,
            folder=_escaped(self.place.folder),
            host=host,
            port=port,
            mpm=self.mpm,
            modules=modules() or "",
            wsgi_module=_escaped(module.file) if module else "",
            processes=_lines(self._processes()),
            application=_lines(self._application(module.python_home if module else "")),
            # The interpreter inside a process: the first one, or one of its own.
            group="%{GLOBAL}" if self.settings["main_interpreter"] else "benchsuite",
            process_group=self.process_group,
            included=f'Include "{_escaped(Path(included).resolve())}"' if included else "",
        )
        return {"apache.conf": content, "application.wsgi": script}

    def _processes(self) -> Mapping[str, object]:
        """Directives for the number of processes and threads."""
        return {}

    def _application(self, python_home: str) -> Mapping[str, object]:
        """Directives for where the application runs."""
        return {"WSGIPythonHome": f'"{_escaped(python_home)}"'}


class ApachePrefork(Apache):
    """One request at a time in each process; an idle keep-alive connection occupies one."""

    name = "apache-prefork"
    mpm = "prefork"
    one_at_a_time = True
    holds_slots = True
    default_processes = 9
    for_threads = "take apache-worker, apache-event or apache-daemon for threads"
    options = COMMON

    def _processes(self) -> Mapping[str, object]:
        servers = ("StartServers", "ServerLimit", "MinSpareServers", "MaxSpareServers")
        return dict.fromkeys((*servers, "MaxRequestWorkers"), self.processes)


class ApacheThreaded(Apache):
    """Processes with threads; starts with `start_processes` and adds more under load."""

    threads_word = "threads"
    default_processes = 16
    default_threads = 25

    def expected_processes(self) -> int:
        return 1 + min(int(self.settings["start_processes"]), self.processes)

    def _processes(self) -> Mapping[str, object]:
        threads = ("ThreadLimit", "ThreadsPerChild", "MinSpareThreads")
        together = ("MaxSpareThreads", "MaxRequestWorkers")
        return {
            "StartServers": self.expected_processes() - 1,
            "ServerLimit": self.processes,
            **dict.fromkeys(threads, self.threads),
            **dict.fromkeys(together, self.processes * self.threads),
        }


class ApacheWorker(ApacheThreaded):
    """An idle connection takes a thread; a subinterpreter has the application, as in the study."""

    name = "apache-worker"
    mpm = "worker"
    holds_slots = True
    options = {**COMMON, "main_interpreter": False, "start_processes": 10}


class ApacheEvent(ApacheThreaded):
    """Idle keep-alive connections of a process share one thread."""

    name = "apache-event"
    mpm = "event"
    options = {**COMMON, "start_processes": 10}


class ApacheDaemon(Apache):
    """The application in its own processes, behind one of Apache's for the network."""

    name = "apache-daemon"
    mpm = "event"
    threads_word = "threads"
    default_processes = 9
    default_threads = 25
    process_group = "benchsuite"
    managers = 2
    options = {**COMMON, "max_requests": 0}

    def _processes(self) -> Mapping[str, object]:
        front = max(self.processes * self.threads, 128)
        threads = ("ThreadLimit", "ThreadsPerChild", "MaxSpareThreads", "MaxRequestWorkers")
        once = ("StartServers", "ServerLimit", "MinSpareThreads")
        return {**dict.fromkeys(once, 1), **dict.fromkeys(threads, front)}

    def _application(self, python_home: str) -> Mapping[str, object]:
        words = {
            "processes": self.processes,
            "threads": self.threads,
            "python-home": python_home,
            "home": os.getcwd(),
            "lang": "C.UTF-8",
            "locale": "C.UTF-8",
            "listen-backlog": self.settings["backlog"],
            "maximum-requests": self.settings["max_requests"],
        }
        text = " ".join(f'{name}="{_escaped(value)}"' for name, value in words.items())
        return {
            "WSGISocketPrefix": f'"{_escaped(self.place.folder)}/wsgi"',
            "WSGIRestrictEmbedded": "On",
            "WSGIDaemonProcess": f"{self.process_group} {text}",
            "WSGIProcessGroup": self.process_group,
        }


def _escaped(value: object) -> str:
    """As written between double quotes in Apache's configuration; `${` would start a variable."""
    text = str(value).replace("\\", r"\\").replace('"', r"\"")
    return text.replace("${", "${benchsuite_dollar}{")


def _lines(directives: Mapping[str, object]) -> str:
    return "\n".join(f"{name} {value}" for name, value in directives.items())
