"""Other load generators and their own figures: wrk, hey and Locust, on the CPU of the load."""

import csv
import math
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.machine import own_cpus, pinned

LOCUSTFILE = Path(__file__).parent / "locustfile.py"
MARGIN_S = 30.0
"""How much longer than planned a program may take before it is killed."""

WRK_REPORT = """
done = function(summary, latency, requests)
  for percent = 1, 99 do
    print(string.format("percentile %d %d", percent, latency:percentile(percent)))
  end
end
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What a generator printed."""

    rate: float
    """Requests a second."""
    percentiles: dict[int, float]
    """Seconds at those percentiles that it gives."""


def missing(*names: str) -> list[str]:
    """Commands for what is not installed."""
    return [f"apt install {name}" for name in names if shutil.which(name) is None]


def wrk(url: str, *, connections: int, duration_s: float) -> Figures:
    """It knows whole seconds only."""
    whole_s = math.ceil(duration_s)
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(WRK_REPORT)
        script.flush()
        printed = _output(
            ["wrk", "-t1", f"-c{connections}", f"-d{whole_s}s", "-s", script.name, url],
            duration_s,
        )
    return Figures(
        rate=_number(r"Requests/sec:\s+([\d.]+)", printed),
        percentiles={
            int(percent): int(microseconds) / 1e6
            for percent, microseconds in re.findall(r"^percentile (\d+) (\d+)$", printed, re.M)
        },
    )


def hey(url: str, *, connections: int, duration_s: float, rate: float | None = None) -> Figures:
    """`rate` is the sum over all connections."""
    limit = [] if rate is None else ["-q", f"{rate / connections:g}"]
    printed = _output(
        ["hey", "-cpus", "1", "-c", str(connections), "-z", f"{duration_s:g}s", *limit, url],
        duration_s,
    )
    return Figures(
        rate=_number(r"Requests/sec:\s+([\d.]+)", printed),
        percentiles={
            int(percent): float(seconds)
            for percent, seconds in re.findall(r"(\d+)%+ in ([\d.]+) secs", printed)
        },
    )


def locust(url: str, *, user: str, users: int, duration_s: float) -> Figures:
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        _output(
            [
                *(sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "--headless"),
                *("--host", url.rstrip("/"), "-u", str(users), "-r", str(users)),
                *("-t", f"{duration_s:g}s", "--csv", f"{folder}/locust", "--only-summary", user),
            ],
            duration_s,
        )
        with Path(folder, "locust_stats.csv").open(newline="") as file:
            row = next(row for row in csv.DictReader(file) if row["Name"] == "Aggregated")
    return Figures(
        rate=float(row["Requests/s"]),
        percentiles={
            int(name[:-1]): float(row[name]) / 1e3
            for name in row
            if re.fullmatch(r"\d+%", name) and name != "100%"
        },
    )


def _output(argv: list[str], duration_s: float) -> str:
    with pinned(own_cpus()[0]):
        done = subprocess.run(
            argv, capture_output=True, text=True, check=False, timeout=duration_s + MARGIN_S
        )
    if done.returncode:
        raise SystemExit(f"{' '.join(argv)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


def _number(pattern: str, text: str) -> float:
    match = re.search(pattern, text)
    if match is None:
        raise SystemExit(f"expected {pattern!r}, and found:\n{text}")
    return float(match[1])
