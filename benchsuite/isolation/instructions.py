"""What the measured server is told before it loads the project's settings: a small JSON file."""

import dataclasses
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from benchsuite.core.exceptions import UsageError
from benchsuite.system import folders

INSTRUCTIONS_VARIABLE = "BENCHSUITE_INSTRUCTIONS"  #: Holds their path, in the environment.
RUN_VARIABLE = "BENCHSUITE_RUN"  #: The environment variable that holds the token of the run.
ANSWERING = ("WSGI_APPLICATION", "ASGI_APPLICATION", "ROOT_URLCONF")  #: They say what answers.
SETTINGS_MODULE = "benchsuite.isolation.settings"


def about_the_project(path: Path) -> dict[str, str]:
    """The project as the instructions there have it, for whoever sets Django up."""
    return {INSTRUCTIONS_VARIABLE: str(path), "DJANGO_SETTINGS_MODULE": SETTINGS_MODULE}


def beside(name: str) -> Path:
    """The file of that name beside the instructions of this process."""
    return Path(os.environ[INSTRUCTIONS_VARIABLE]).with_name(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Instructions:
    """Which settings module to begin with and what to change in it."""

    settings_module: str
    token: str  #: Names the run; part of cache keys.
    folder: str  #: The run's own folder, for what the project would write into its own.
    databases: Mapping[str, str] = field(default_factory=dict)  #: Alias → throw-away NAME, if any.
    keeps_databases: bool = False  #: Whether the project's own databases are used.
    mirrors: Mapping[str, str] = field(default_factory=dict)  #: Alias → that whose it shares.
    database_url: str = ""  #: Where the default database is, when it is not where the project says.
    database_host: str = ""  #: By which the server reaches the default database behind a delay.
    database_port: int | None = None
    conn_max_age_s: float | None = None  #: CONN_MAX_AGE; None leaves the project's.
    pool: int | None = None  #: Largest size of a process's pool; None leaves the project's.
    layer: str = ""  #: Class of the default channel layer; empty leaves the project's.
    layer_url: str = ""  #: Where the Redis of that layer is.
    application: str = ""  #: `package.module:callable` that is served in place of the project's.
    static: str = ""  #: What static files want: "collect", "skip"; empty for what is needed.
    static_root: str = ""  #: Where they were collected; empty leaves the project's.
    redis_url: str = ""  #: The run's own Redis, for caches in one; empty where it has none.
    redis_tcp_url: str = ""  #: The same Redis, for clients that want a host and a port.
    environment: Mapping[str, str] = field(default_factory=dict)  #: Variable → what it names now.
    words: Mapping[str, str] = field(default_factory=dict)
    """Those that name a part of it, such as a database; set when the settings are loaded."""
    overrides: Mapping[str, Any] = field(default_factory=dict)
    """What the user says of settings that no rule knows; "{folder}" is the run's."""
    host: str = ""  #: By which name clients ask, if not its address; maybe with a port.
    secret_key: str = ""  #: That signed the sessions in which is asked; empty for none.
    diagnoses: bool = False  #: Whether queries and pauses are timed, in a start that never counts.
    needs_target_app: bool = False
    mounts_target: bool = False  #: Whether /bench/ must be put before the project's own URLs.

    def write(self, path: Path) -> None:
        """Readable by its owner only: a database URL may hold a password."""
        folders.write_private(path, json.dumps(dataclasses.asdict(self), indent=1))

    @classmethod
    def read(cls, path: Path) -> Self:
        return cls(**json.loads(path.read_text()))

    @classmethod
    def of_this_process(cls) -> Self:
        """The instructions that the environment names; UsageError when it names none."""
        if not (path := os.environ.get(INSTRUCTIONS_VARIABLE)):
            raise UsageError(
                f"{SETTINGS_MODULE} was loaded without {INSTRUCTIONS_VARIABLE}; it is made for "
                "the servers that runbench starts, and your project keeps its own "
                "DJANGO_SETTINGS_MODULE."
            )
        return cls.read(Path(path))
