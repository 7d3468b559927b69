"""Locust's own users, for its own statistics; the class is chosen by its name."""

from locust import FastHttpUser, constant_throughput, task


class Fast(FastHttpUser):
    """As fast as it can."""

    @task
    def get(self) -> None:
        self.client.get("/")


class Paced(FastHttpUser):
    """Twenty requests a second each, as far as the answers let it."""

    wait_time = constant_throughput(20)

    @task
    def get(self) -> None:
        self.client.get("/")
