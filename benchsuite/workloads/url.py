"""Pages of the project itself, by their paths."""

import re
from collections.abc import Sequence
from typing import Any

from benchsuite.core.exceptions import AnswerError, StatusError, UsageError
from benchsuite.core.specs import Option
from benchsuite.core.units import listed
from benchsuite.core.wording import check_written
from benchsuite.workloads.base import Workload, expect_status
from benchsuite.workloads.shape import Shape

REHEARSALS = 30  #: How often pages are asked before the load, to learn what answers share.

MISSED = "Another user's page or a stale one may have counted as right."

REFUSALS = 400  #: From this status on an answer is a failure, unless the client is told otherwise.


class Url(Workload):
    name = "url"
    summary = "GET pages of your own project (--path=/shop/,/shop/cart/), one after the other"
    options = {"path": "", "expect": "", "status": "", "shape": True}

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self._paths = [path.strip() for path in self.settings["path"].split(",")]
        for path in self._paths:
            if not path:
                raise UsageError(
                    "The workload url needs a page to get: --path=/shop/ (several: /shop/,/cart/)."
                )
            check_written(path)
        self._expected: dict[str, list[bytes]] = {path: [] for path in self._paths}
        for paths, text in self._told("expect"):
            for path in paths:
                self._expected[path].append(text.encode(errors="surrogateescape"))
        self._statuses = dict.fromkeys(self._paths, 200)
        for paths, text in self._told("status"):
            if not re.fullmatch(r"[2-5]\d\d", text):
                raise UsageError(
                    f"--status={text} is not a valid status; write --status=404 or, for one of "
                    "several pages, --status=/old/=301."
                )
            self._statuses.update(dict.fromkeys(paths, int(text)))
        self.ready_path = self._paths[0]
        self._shapes: dict[str, Shape] = {}
        self._learning = self.settings["shape"]
        self.rehearsals = REHEARSALS if self._learning else 1
        self.unchecked = self._unchecked()

    def journey(self, client: Any) -> None:
        for path in self._paths:
            wanted = self._statuses[path]
            response = client.get(path, **({"status": wanted} if wanted >= REFUSALS else {}))
            try:
                expect_status(response, wanted)
            except StatusError as error:
                raise StatusError(f"{path}: {error}") from error
            for text in self._expected[path]:
                if text not in response.content:
                    shown = text.decode(errors="surrogateescape")
                    raise AnswerError(f"{path}: expected {shown!r} in the body, and it is missing")
            if self._learning and hasattr(response, "content"):
                self._shapes.setdefault(path, Shape(self.visitor)).see(response)
            elif (shape := self._shapes.get(path)) and (words := shape.differs(response)):
                raise AnswerError(
                    f"{path}: the answer differs from the {shape.rehearsed} rehearsed ones: {words}"
                )

    def rehearsed(self) -> None:
        """From now on answers must look like the rehearsed ones."""
        self._learning = False
        for shape in self._shapes.values():
            shape.settle()
        self.unchecked = self._unchecked()

    def _unchecked(self) -> str:
        sentences = [self._told_of(path, shape) for path, shape in self._shapes.items()]
        if sentences:
            return " ".join(
                [*sentences, "Nothing else of what these pages say was checked.", MISSED]
            )
        plain = [path for path, texts in self._expected.items() if not texts]
        asked = [path for path, texts in self._expected.items() if texts]
        for what, paths in (("status", plain), ("status and the text", asked)):
            if paths:
                sentences.append(f"Of {listed(paths)}, nothing but the {what} was checked.")
        return " ".join([*sentences, MISSED])

    def _told_of(self, path: str, shape: Shape) -> str:
        checked = ", ".join([*["the expected text"] * bool(self._expected[path]), *shape.checked])
        sentence = f"{path} was compared with {shape.rehearsed} rehearsed answers: {checked}"
        if shape.varied:
            sentence += f"; not its {listed(shape.varied)}, which varied"
        if shape.asks_for_password:
            sentence += " (it has a field for a password: is it the page that was meant?)"
        return f"{sentence}."

    def _told(self, option: str) -> list[tuple[Sequence[str], str]]:
        """What this option requires of pages: TEXT of all, /path/=TEXT of one, a line each."""
        pairs: list[tuple[Sequence[str], str]] = []
        for line in filter(None, self.settings[option].split("\n")):
            paths = [path for path in self._paths if line.startswith(f"{path}=")]
            path = max(paths, key=len, default="")
            if not path and line.startswith("/") and "=" in line:
                raise UsageError(
                    f"--{option}={line} is for a page that is not among --path="
                    f"{','.join(self._paths)}; write the path as given there."
                )
            pairs.append(([path], line[len(path) + 1 :]) if path else (self._paths, line))
        return pairs
