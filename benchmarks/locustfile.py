"""Locust's own users, for its own statistics beside ours; the class is chosen by its name."""

from locust import FastHttpUser, HttpUser, constant_throughput, task


class Fast(FastHttpUser):
    """As fast as it can."""

    @task
    def get(self) -> None:
        self.client.get("/")


class Plain(HttpUser):
    """The same on requests instead of geventhttpclient."""

    @task
    def get(self) -> None:
        self.client.get("/")


class Paced(FastHttpUser):
    """Twenty requests a second each, as far as the answers let it."""

    wait_time = constant_throughput(20)

    @task
    def get(self) -> None:
        self.client.get("/")
