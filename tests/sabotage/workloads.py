"""Journeys that keep the load generator busy with itself."""

import os
import random
import time
from pathlib import Path

from benchsuite.core.specs import DatabaseSpec
from benchsuite.workloads.base import Client, Workload, expect_status

PATH = "/well/"


class Burning(Workload):
    """Computes more than it asks, as one that parses large answers would."""

    name = "burning"
    ready_path = PATH

    def journey(self, client: Client) -> None:
        expect_status(client.get(PATH))
        end = time.process_time() + 0.005
        while time.process_time() < end:
            pass


class Keeping(Workload):
    """Claims a completion for each answer, and can count what is stored."""

    name = "keeping"
    path = "/keeping/"
    ready_path = PATH

    def journey(self, client: Client) -> None:
        expect_status(client.post(self.path))

    def count(self, database: DatabaseSpec) -> dict[str, int]:
        store = Path(os.environ["SICK_STORE"])
        return {"completions": store.stat().st_size if store.exists() else 0}


class Losing(Keeping):
    """The same of a page that loses one of ten."""

    name = "losing"
    path = "/losing/"


class Storing(Workload):
    """Looks at a page and sends a form, which says one of a few things."""

    name = "storing"
    options = {"kind": "honest"}

    def journey(self, client: Client) -> None:
        path = f"/{self.settings['kind']}/"
        expect_status(client.get(path))
        expect_status(client.post(path, {"text": str(random.randrange(30))}))


class Marked(Workload):
    """Asks with a header of its own for a page that uWSGI's router sends in two pieces."""

    name = "marked"
    ready_path = PATH

    def journey(self, client: Client) -> None:
        expect_status(client.get("/two-pieces/", headers={"X-Marked": "yes"}))


class Dawdling(Workload):
    """Pauses where the profile says that users don't think."""

    name = "dawdling"
    ready_path = PATH

    def journey(self, client: Client) -> None:
        expect_status(client.get(PATH))
        time.sleep(0.02)
