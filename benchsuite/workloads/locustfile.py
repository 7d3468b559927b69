"""An existing locustfile: its user classes run unchanged, measured by our clock."""

import os
from pathlib import Path
from typing import ClassVar

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import LoadProfile, Option
from benchsuite.workloads.base import Client, Workload


class Locustfile(Workload):
    """Runs the users of the locustfile at `path`; has no journey of its own."""

    name = "locustfile"
    summary = "the user classes of an existing locustfile (--locustfile FILE)"
    options: ClassVar[dict[str, Option]] = {"path": ""}
    keep_cookies = True
    endless = True
    unchecked = (
        "Of the answers, the status was checked and what the locustfile itself asks of them, "
        "nothing else. Locust follows redirects: a log-in page, another user's page or a stale one "
        "may have counted as right."
    )

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        path = Path(self.settings["path"])
        if not os.path.isfile(path):  # Path's own raises where a name is too long
            raise UsageError(
                f"There is no locustfile {str(path)!r}; give --locustfile an existing file."
            )
        self.locustfile = str(path.resolve())

    def fit(self, load: LoadProfile) -> LoadProfile:
        """Refuses fresh visitors: Locust's users log in once, in on_start."""
        if not load.keep_cookies:
            raise UsageError(
                "Users of a locustfile keep their cookies, as in Locust; remove --no-keep-cookies, "
                "or clear self.client.cookies in the task."
            )
        return load

    def journey(self, client: Client) -> None:
        raise UsageError("A locustfile runs only under load; it has no journey to run by itself.")
