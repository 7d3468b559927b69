"""The journey that our load process makes in the benchmarks."""

from benchsuite.workloads.base import Client, Workload, expect_body


class Get(Workload):
    """One GET whose body must be OK."""

    name = "get"

    def journey(self, client: Client) -> None:
        expect_body(client.get("/"), b"OK")
