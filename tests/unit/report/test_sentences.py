"""What a run and a comparison say."""

from uuid import UUID

from benchsuite.models import Finding, Run
from benchsuite.report.answers import of_run
from benchsuite.store.interchange import PARTS, attach
from tests.factories import BEGUN, facts

MOST_WORDS = 20


def run(server="uwsgi", findings=(), **given):
    fields = {"server": server, "key": server, "workload": "io_read", "users": 100, "spec": {}}
    fields |= {"server_facts": facts(server, "io_read"), "warmup_s": 3, "duration_s": 10}
    fields |= {"status": "finished", "verdict": "valid", "started_at": BEGUN}
    fields |= {"requests": 6120, "failures": 0, "goodput": 612.0}
    fields |= {"p50_s": 0.151, "p95_s": 0.28, "p99_s": 0.41}
    made = Run(**{**fields, **given})
    attach(made, {**{name: [] for name in PARTS}, "findings": findings})
    return made


def plain(text):
    return text.replace("\u2009", " ")


def told(*codes, **given):
    """The card of such a run; B1xx are weak and others invalid."""
    doubts = [
        Finding(code=one, level="weak" if one.startswith("B1") else "invalid", message=f"{one}!")
        for one in codes
    ]
    answer = of_run(run(pk=UUID(int=7), findings=doubts, **given))
    assert len(answer.headline.split()) <= MOST_WORDS
    assert len(answer.tiles) <= 4
    lines = [
        f"{answer.verdict}: {answer.headline}",
        *(f"  {tile.title}: {tile.whole}{tile.reason}" for tile in answer.tiles),
        *answer.cautions,
        *(f"{step} {answer.command}" for step in answer.next_steps),
    ]
    return plain("\n".join(lines))


def test_the_card_of_a_run(golden):
    golden.cases(told)


def test_values(golden):
    """Reasons of missing figures, titles, and what the closed model can't show."""
    golden.values(lambda value: plain(value) if isinstance(value, str) else value)
