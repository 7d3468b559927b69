"""What stood around the server of a run, as people say it."""

from dataclasses import dataclass
from typing import Self

from benchsuite.core.specs import (
    COLLECT,
    SKIP,
    DatabaseSpec,
    DelaySpec,
    LayerSpec,
    RunSpec,
    ServerSpec,
    TargetSpec,
    VisitorSpec,
)
from benchsuite.models import Run

STATIC = {COLLECT: "static files collected", SKIP: "static files not collected"}
"""What --static said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """Words for each thing; empty where there is nothing to say."""

    python: str
    application: str
    front: str
    database: str
    layer: str
    delay: str
    visitor: str
    static: str
    target: str

    @classmethod
    def of_spec(cls, spec: RunSpec) -> Self:
        return cls(
            python=spec.server.python_words,
            application=spec.server.application,
            front=spec.server.front_words,
            database=spec.database.words,
            layer=spec.layer.words,
            delay=spec.delay.words,
            visitor=spec.visitor.words,
            static=STATIC.get(spec.static, ""),
            target=spec.target.words,
        )

    @classmethod
    def of(cls, run: Run) -> Self:
        """Of a stored run, whichever parts its spec has."""
        spec = run.spec
        server = ServerSpec.from_json(spec.get("server") or {"server": ""})
        return cls(
            python=server.python_words,
            application=server.application,
            front=server.front_words,
            database=DatabaseSpec.from_json(spec.get("database") or {}).words,
            layer=LayerSpec.from_json(spec.get("layer") or {}).words,
            delay=DelaySpec.from_json(spec.get("delay") or {}).words,
            visitor=VisitorSpec.from_json(spec.get("visitor") or {}).words,
            static=STATIC.get(spec.get("static") or "", ""),
            target=TargetSpec.from_json(spec.get("target") or {}).words,
        )
