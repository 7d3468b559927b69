"""A watcher of runs that only remembers."""

from benchsuite.load.job import Tick


class Quiet:
    """Remembers the stages and ticks of a run."""

    def __init__(self) -> None:
        self.stages: list[str] = []
        self.ticks: list[Tick] = []

    def stage(self, text: str) -> None:
        self.stages.append(text)

    def note(self, text: str) -> None:
        self.stages.append(text)

    def tick(self, tick: Tick) -> None:
        self.ticks.append(tick)
