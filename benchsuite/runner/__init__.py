"""One Plan → one RunResult. Knows no models."""

from benchsuite.runner.session import Session, Watcher

__all__ = ["Session", "Watcher"]
