"""Two bytes of text from a worker on the channel layer."""

from benchsuite.core.specs import Option
from benchsuite.workloads.base import Client, Workload, expect_body

VIEWS = ("plain", "plain_async")


class Layer(Workload):
    name = "layer"
    unchecked = ""
    summary = "plain through the channel layer: the server asks a runworker for each answer"
    options = {"view": "plain_async"}
    limits = {"view": VIEWS}
    needs_target_app = True
    uses_database = False
    needs_workers = True

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self.ready_path = f"/bench/layer/{self.settings['view']}/"

    def journey(self, client: Client) -> None:
        expect_body(client.get(self.ready_path), b"OK")
