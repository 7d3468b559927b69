"""What workloads on single pages of the target app share, and their twins on async views."""

from typing import ClassVar

from benchsuite.workloads.base import Workload


class TargetPage(Workload):
    """A journey that asks for one page, and checks the whole answer."""

    unchecked = ""
    ready_path = "/bench/plain/"
    needs_target_app = True
    path: ClassVar[str]


def twin(work: type[TargetPage], beside: str = "") -> type[TargetPage]:
    """The same on an async view; `beside` is what must be known of that view."""
    content = {
        "__module__": work.__module__,
        "name": f"{work.name}_async",
        "summary": f"{work.name} with an async view{beside}",
        "path": f"/bench/{work.name}_async/",
    }
    return type(f"{work.__name__}Async", (work,), content)
