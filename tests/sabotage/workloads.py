"""Journeys that keep the load generator busy with itself."""

import time

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


class Dawdling(Workload):
    """Pauses where the profile says that users don't think."""

    name = "dawdling"
    ready_path = PATH

    def journey(self, client: Client) -> None:
        expect_status(client.get(PATH))
        time.sleep(0.02)
