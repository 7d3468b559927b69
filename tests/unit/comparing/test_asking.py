"""Which stored configurations would do for an objective, and what would measure the others."""

from benchsuite.comparing.asking import candidates, command_of
from benchsuite.core.specs.objective import parse
from tests.starts import side


def runs(server, *goodputs, memory_mib=180, **given):
    """Starts that answered so much; p95 is 180 s divided by that."""
    columns = {"memory_bytes": memory_mib * 2**20, **given.pop("columns", {})}
    key = f"{server} {given}"
    return list(side(server, goodputs, columns={"key": key, **columns}, **given).runs)


STORED = [
    *runs("uwsgi", 900, 880, memory_mib=100),
    *runs("uwsgi", 700, users=10),
    *runs("granian-wsgi", 800, memory_mib=300, processes=4, columns={"processes": 4}),
    *runs("waitress", 300, memory_mib=50),
    *runs("daphne", 100, users=10, memory_mib=60),
    *runs("hypercorn", 590, memory_mib=90),
    *runs("gunicorn-gthread", 600, memory_mib=95, columns={"failures": 600}),
    *runs("slow", 90, memory_mib=40, users=9),
    *runs("slow", 80, memory_mib=40, users=8),
    *runs("silent", 50, memory_mib=30, columns={"requests": 0}),
    *runs("broken", 900, columns={"verdict": "invalid"}),
]


def asked(text, rate=0.0):
    return candidates(STORED, parse(text), rate)


def told(server, rate=0.0, **spec):
    (run,) = runs(server, 100.0, **spec)
    return command_of(run, rate)


def words(value):
    if not isinstance(value, list):
        return value
    lines = [
        f"{one.title}, {one.fit.value}: {one.why}; {one.run.server} {one.rate} {one.memory_bytes}"
        f"{one.command and f'; {one.command}'}"
        for one in value
    ]
    return "\n".join(lines).replace("\u2009", " ")


def test_values(golden):
    golden.values(words)
