"""A study to read, as a text that tests change."""

from pathlib import Path

from benchsuite.studies import reading
from benchsuite.studies.options import Known, Takes
from benchsuite.studies.study import Study

KNOWN: Known = {
    **dict.fromkeys(("workload", "users", "rate", "spawn-rate"), Takes.VALUE),
    **dict.fromkeys(("warmup", "duration", "messages", "max-connections"), Takes.VALUE),
    **dict.fromkeys(("delay-to-database",), Takes.VALUE),
    **dict.fromkeys(("option", "workload-option"), Takes.PAIRS),
    **dict.fromkeys(("server", "fill"), Takes.SEVERAL),
    **dict.fromkeys(("keep-alive", "no-keep-alive"), Takes.FLAG),
}

TEXT = """\
format = 1
name = "shop"
question = "Which server?"
repeat = 6
[every]
users = 500
spawn-rate = 5
warmup = "10s"
duration = "70s"
keep-alive = false
option.timeout_s = 30
[scale]
shorter = ["warmup", "duration", "messages"]
faster = ["spawn-rate"]
thin = { delay = ["200", "0", "100"] }
least = { duration = "7s", repeat = 2 }
[axis.setup]
sync = { server = "gunicorn-sync", kind = "today" }
async = { server = "uvicorn", option = { timeout_s = [], loop = "asyncio" }, max-connections = 100 }
pool = { like = "async", max-connections = [], option.loop = "uvloop", kind = "added" }
[axis.route]
cpu = { workload = "cpu", workload-option.size = 1000 }
read = { workload = "io_read", messages = 400 }
[axis.delay]
0 = {}
100 = { delay-to-database = "100ms" }
200 = { delay-to-database = "200ms" }
[[set]]
when = { route = "cpu", delay = ["100", "200"] }
delay-to-database = []
[[set]]
when = { setup = "pool" }
users = 50
[[exclude]]
setup = ["pool"]
route = "cpu"
[figures]
plateau = { of = "goodput", title = "answers a second" }
best = { of = "best_window", length = "10s", scope = "load" }
[objective]
figure = "plateau"
best = "most"
[[published]]
file = "shop.csv"
cell = { setup = "setup", delay = "latency" }
names = { setup = { gunicorn = "sync" } }
figures = { plateau = "rps" }
only = { route = "read" }
[[table]]
rows = "delay"
columns = "setup"
figures = ["plateau", "best"]
only = { route = "read" }
[[chart]]
x = "delay"
y = "plateau"
line = "setup"
small = "route"
[[claim]]
name = "sync-collapses"
says = "Sync collapses."
needs = { users = 300 }
[[claim.check]]
figure = "plateau"
cell = { setup = "sync", route = ["read", "cpu"], delay = "200" }
to = { delay = "100" }
ratio = [0.4, 0.6]
[[claim.check]]
figure = "plateau"
cell = { setup = "sync" }
value = [-inf, 3]
[[answer]]
asks = "Which set-up reads most?"
choice = "setup"
only = { route = ["read"] }
"""


def changed(*changes: tuple[str, str]) -> str:
    """The text with other lines; each must be there once."""
    found = TEXT
    for old, new in changes:
        assert found.count(old) == 1, old
        found = found.replace(old, new)
    return found


def study(text: str = TEXT) -> Study:
    return reading.parse(text, Path("shop.toml"), KNOWN)
