"""Asks again and again until a server answers as this run's, and remembers what came instead."""

import time
from collections.abc import Mapping

from benchsuite.telemetry.prober.answer import NotAnswered, ask

FIRST_S = 2.0
"""How long the first question waits. Each that ran out of time is followed by one of twice the
patience: a slow page is answered at last, and a connection that got lost holds nobody up long."""

LEAST_S = 0.1


class Probe:
    """Callable: whether the server now answers with this run's header, whatever the status."""

    def __init__(
        self,
        url: str,
        run_header: str,
        *,
        headers: Mapping[str, str] | None = None,
        timeout_s: float,
    ) -> None:
        """`timeout_s` is how long all questions together may take."""
        self.heard = ""  #: What came last that was not the answer, in words.
        self._url = url
        self._headers = headers
        self._run_header = run_header
        self._deadline = time.monotonic() + timeout_s
        self._patience_s = FIRST_S

    def __call__(self) -> bool:
        begin = time.monotonic()
        patience_s = max(LEAST_S, min(self._patience_s, self._deadline - begin))
        try:
            head = ask(self._url, headers=self._headers, timeout_s=patience_s)
        except NotAnswered as error:
            self.heard = str(error)
            if time.monotonic() - begin >= self._patience_s:
                self._patience_s *= 2
            return False
        if head.run == self._run_header:
            return True
        whose = "another run's" if head.run else "no"
        self.heard = (
            f"it answers {head.status} with {whose} run header, so it is not the application that "
            "was started, or what stands before that fails or takes headers away"
        )
        return False
