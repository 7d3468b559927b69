"""Stored runs. What people filter on is a column; the whole spec stands beside it as JSON.

Times in seconds, memory in bytes, CPU in percent of one CPU; null is "not known", never zero.
"""

import re
import uuid
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.urls import reverse

from benchsuite.columns import JSON, Moment, PartOf, Row
from benchsuite.core import plain, states


def _choices(values: Iterable[StrEnum]) -> list[tuple[str, str]]:
    return [(value.value, value.value) for value in values]


def _no_spec() -> dict[str, Any]:
    from benchsuite.core.specs import RunSpec, ServerSpec

    return RunSpec(server=ServerSpec(server="")).to_json()


def _check_stacks(diagnosis: Mapping[str, Any]) -> None:
    from benchsuite.stats import stacks

    if "flame" in diagnosis:
        stacks.unpacked(diagnosis["flame"]["stacks"])


def validate_printable(text: str) -> None:
    from benchsuite.core.printable import is_control

    if any(is_control(one) for one in text):
        raise ValidationError("Control characters are not allowed.", code="control")


def _name(**more: Any) -> "models.CharField[str, str]":
    """By which people find it."""
    more |= {"blank": True, "db_index": True, "validators": [validate_printable]}
    return models.CharField(max_length=200, **more)


def begin_of_id(text: str, least: int = 6) -> str:
    """What `istartswith` takes to find ids that begin so; empty for what begins none. With dashes,
    as databases with a type for ids have. No range holds them: MariaDB orders ids by their end.
    """
    digits = text.replace("-", "").lower()
    if not re.fullmatch(rf"[0-9a-f]{{{least},32}}", digits):
        return ""
    parts = digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]
    return "-".join(filter(None, parts))


class Environment(Row):
    """A machine and its software, recorded once."""

    fingerprint = models.CharField(max_length=64, unique=True)
    data = JSON(kind=plain.Machine)
    created = Moment(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.data.get('hostname', '?')} {self.fingerprint[:8]}"


class Software(Row):
    """What served, recorded once: facts of its Python, and every distribution installed for it."""

    fingerprint = models.CharField(max_length=64, unique=True)
    data = JSON(
        kind=plain.Software,
        empty=lambda: {"python": {}, "packages": {}},
        help_text="python: fact to value; packages: distribution to version.",
    )

    class Meta:
        verbose_name_plural = "software"

    def __str__(self) -> str:
        python = self.data.get("python", {}).get("version", "?")
        return f"Python {python}, {len(self.data.get('packages', {}))} packages"


class Calibration(models.Model):
    """What the load generator makes at most in an environment, of the null responder."""

    environment = models.ForeignKey(
        Environment, on_delete=models.CASCADE, related_name="calibrations"
    )
    measured_at = Moment(auto_now_add=True)
    model = models.CharField(max_length=8, default="closed")
    processes = models.PositiveIntegerField(default=1, help_text="Load processes.")
    users = models.PositiveIntegerField(help_text="Requests in flight all the time.")
    keep_alive = models.BooleanField()
    throughput = models.FloatField(help_text="Requests per second.")
    load_cpu_percent = models.FloatField(null=True)
    responder_cpu_percent = models.FloatField(null=True)
    others_percent = models.FloatField(null=True)

    class Meta:
        ordering = ["model", "processes", "-keep_alive", "users"]
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "model", "processes", "users", "keep_alive"],
                name="one_calibration_a_load",
            )
        ]

    def __str__(self) -> str:
        return f"{self.model}, {self.users} in flight: {self.throughput:.0f} /s"


class Execution(Row):
    """What many runs are made for, by one command at a time; broken off, it can go on."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    label = _name()
    environment = models.ForeignKey(Environment, null=True, on_delete=models.PROTECT)
    started_at = Moment(db_index=True)
    ended_at = Moment(null=True, help_text="When all that was to be run had ended.")
    owner = models.CharField(
        max_length=states.LONGEST_OWNER,
        blank=True,
        help_text="The process that makes its runs, while it does.",
    )
    status = models.CharField(
        max_length=12, choices=_choices(states.Status), default=states.Status.RUNNING.value
    )

    class Meta:
        abstract = True
        ordering = ["-started_at", "id"]

    @property
    def short_id(self) -> str:
        return self.id.hex[:8]

    def mark(self, why: str) -> None:
        super().mark(why)
        self.status = states.UNREADABLE


class StudyRun(Execution):
    """One execution of a study: what was asked for, and how far it came."""

    name = models.CharField(max_length=100, db_index=True)
    digest = models.CharField(max_length=64, help_text="SHA-256 of its file.")
    text = models.TextField(help_text="The file itself, TOML.")
    scale = models.FloatField(default=1.0)
    only = JSON(
        kind=Mapping[str, list[str]],
        default=dict,
        help_text="Axis to the values that were asked for.",
    )
    python = models.TextField(
        blank=True, default="", help_text="Under which the project is served, unless a cell says."
    )
    repeat = models.PositiveIntegerField(default=1, help_text="Starts of each cell.")
    seed = models.PositiveIntegerField(default=0, help_text="Of the order of its runs.")
    claims = models.BooleanField(
        default=False, help_text="Whether only what claims need was executed."
    )
    looks = models.PositiveSmallIntegerField(
        default=1, help_text="How often it was looked at, at the most, to decide what to run next."
    )
    resolved = JSON(
        kind=Mapping[str, Mapping[str, float]],
        default=dict,
        help_text="What was not known before other cells had run, or calibrated.",
    )
    outcomes = JSON(
        kind=Mapping[str, int],
        default=dict,
        help_text="How many of its claims hold, don't hold and can't be told, when it ended.",
    )
    rules = models.PositiveSmallIntegerField(
        default=1, help_text="Which rules its runs were judged by."
    )
    mixed = JSON(
        kind=list[str],
        default=list,
        help_text="What had changed where it was gone on with all the same.",
    )
    remark = models.TextField(
        blank=True, help_text="A paragraph by people: what surprised, and by which figures."
    )

    def __str__(self) -> str:
        return f"{self.name} · {self.short_id}"

    def get_absolute_url(self) -> str:
        return f"{reverse('benchsuite:study', args=[self.name])}?execution={self.pk}"


class StudyCell(Row):
    """One cell of an execution, run or not."""

    study_run = PartOf(StudyRun, on_delete=models.CASCADE, related_name="cells")
    order = models.PositiveIntegerField(help_text="Its place in the study, from 0.")
    coordinates = JSON(kind=Mapping[str, str], help_text="Axis to value.")
    arguments = JSON(kind=list[str], default=list, help_text="Of the runbench command that it is.")
    reason = models.TextField(blank=True, help_text="Why it can't run here.")

    class Meta:
        ordering = ["order"]
        constraints = [
            models.UniqueConstraint(fields=["study_run", "order"], name="one_cell_a_place")
        ]

    def __str__(self) -> str:
        return ", ".join(f"{axis} {value}" for axis, value in self.coordinates.items())


class Tuning(Execution):
    """One search of a server and its sizes: what was asked, and how far it came."""

    question = JSON(kind=Mapping[str, Any], help_text="The objective, and by what the search goes.")
    spec = JSON(
        kind="benchsuite.core.specs.RunSpec",
        empty=_no_spec,
        help_text="Of its runs, but for servers, sizes and loads.",
    )
    servers = JSON(kind=list[str], default=list, help_text="Names of those that are compared.")
    revision = models.CharField(max_length=100, blank=True, help_text="Of the measured code.")
    software = models.ForeignKey(Software, null=True, on_delete=models.PROTECT)
    answer = JSON(
        kind=Mapping[str, Any],
        default=dict,
        help_text="What it has decided so far, beside what its trials have shown.",
    )

    def __str__(self) -> str:
        return f"tuning · {self.short_id}"

    def get_absolute_url(self) -> str:
        return reverse("benchsuite:tuning", args=[self.pk])


class Run(Row):
    """One execution of one spec."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    batch = models.UUIDField(
        default=uuid.uuid4, db_index=True, help_text="Shared by the runs of one command."
    )
    owner = models.CharField(
        max_length=states.LONGEST_OWNER,
        blank=True,
        help_text="The process that runs it, while it runs.",
    )
    study_cell = models.ForeignKey(
        StudyCell, null=True, on_delete=models.SET_NULL, related_name="runs"
    )
    started_at = Moment(db_index=True)
    ended_at = Moment(null=True, help_text="When all that it had started was gone.")
    status = models.CharField(
        max_length=12, choices=_choices(states.Status), default=states.Status.RUNNING.value
    )
    verdict = models.CharField(max_length=8, choices=_choices(states.Verdict), blank=True)
    failure = models.TextField(blank=True)
    failure_code = models.CharField(
        max_length=20, blank=True, help_text="The same for programs, where that decides anything."
    )

    label = _name()
    project = _name(default="", help_text="Where several share the results.")
    key = models.CharField(
        max_length=64, db_index=True, help_text="Equal for runs of the same cell."
    )
    workload = models.CharField(max_length=100, db_index=True)
    server = models.CharField(max_length=100, db_index=True)
    server_version = models.CharField(max_length=100, blank=True)
    python_version = models.CharField(max_length=100, blank=True)
    revision = models.CharField(
        max_length=100, blank=True, help_text="Of the measured code: its commit, and changes."
    )
    processes = models.PositiveIntegerField(null=True)
    threads = models.PositiveIntegerField(null=True)
    model = models.CharField(max_length=8, default="closed")
    users = models.PositiveIntegerField(
        null=True, help_text="Of the closed model; with stages, those of the highest."
    )
    arrival_rate = models.FloatField(
        null=True, help_text="Of the open model, per second; with stages, that of the highest."
    )
    duration_s = models.FloatField()
    warmup_s = models.FloatField()
    repetition = models.PositiveIntegerField(default=1)
    spec = JSON(kind="benchsuite.core.specs.RunSpec", empty=_no_spec)
    server_facts = JSON(
        kind=plain.ServerFacts,
        default=dict,
        help_text="What is said of its server: interface, serves_project, threads_word, "
        "async_twin; empty where nothing is known.",
    )

    argv = JSON(kind=list[str], default=list, help_text="Of the server, or of its first instance.")
    programs = JSON(
        kind="benchsuite.core.results.Programs",
        default=list,
        help_text="All that were started: part, name, argv, version.",
    )
    delay = JSON(
        kind=Mapping[str, Any], default=dict, help_text="What added latency, and how exactly."
    )
    settings_changed = JSON(kind=Mapping[str, str], default=dict)
    log_tail = models.TextField(blank=True)
    environment = models.ForeignKey(Environment, null=True, on_delete=models.PROTECT)
    software = models.ForeignKey(Software, null=True, on_delete=models.PROTECT)

    startup_s = models.FloatField(null=True)
    unit = models.CharField(
        max_length=12,
        default="request",
        help_text="What the figures are of: request, message, handshake or event.",
    )
    level = models.FloatField(
        null=True,
        help_text="With stages: users, or arrivals per second, that the figures are of.",
    )
    requests = models.PositiveBigIntegerField(null=True)
    failures = models.PositiveBigIntegerField(null=True)
    resent = models.PositiveBigIntegerField(null=True, help_text="Requests sent a second time.")
    sent = models.PositiveBigIntegerField(
        null=True, help_text="Requests over the whole load, those of the prober too."
    )
    seen = models.PositiveBigIntegerField(
        null=True, help_text="The same by the target's own count; null where it can't tell."
    )
    completions = models.PositiveBigIntegerField(
        null=True, help_text="Journeys brought to their end, for workloads that count them."
    )
    failed_completions = models.PositiveBigIntegerField(null=True)
    throughput = models.FloatField(null=True)
    goodput = models.FloatField(null=True)
    mean_s = models.FloatField(null=True)
    p50_s = models.FloatField(null=True)
    p95_s = models.FloatField(null=True)
    p99_s = models.FloatField(null=True)
    cpu_percent = models.FloatField(null=True)
    memory_bytes = models.PositiveBigIntegerField(null=True)
    sampler_cpu_percent = models.FloatField(null=True)
    target_work_s = models.FloatField(
        null=True, help_text="CPU time of a fixed piece of work on the target's CPUs."
    )
    load_work_s = models.FloatField(null=True)
    connection_bytes = models.FloatField(
        null=True, help_text="Of the target's memory, for each idle WebSocket."
    )
    websockets = JSON(
        kind="benchsuite.core.results.WebSockets",
        null=True,
        help_text="What became of messages and connections; null without WebSockets.",
    )
    diagnosis = JSON(
        kind=plain.Timed | plain.Profiled,
        proof=_check_stacks,
        null=True,
        help_text="What a diagnostic start has seen; null for others.",
    )

    filled = ("websockets",)

    class Meta:
        ordering = ["-started_at", "server", "id"]

    def __str__(self) -> str:
        return f"{self.server} · {self.workload} · {self.id.hex[:8]}"

    def get_absolute_url(self) -> str:
        return reverse("benchsuite:run", args=[self.pk])

    def mark(self, why: str) -> None:
        """It has no figures then, as a run that failed has none."""
        super().mark(why)
        self.status, self.verdict, self.owner = states.UNREADABLE, "", ""
        self.failure = (
            f"What is stored of this run can't be read ({self.unreadable}). Delete it, and load "
            "it again if it was exported."
        )
        for field in self._meta.concrete_fields:
            if field.null and isinstance(field, (models.FloatField, models.IntegerField, JSON)):
                setattr(self, field.attname, None)

    def part(self, name: str) -> Mapping[str, Any]:
        """What its spec says of that part; nothing where that can't be read."""
        part = self.spec.get(name)
        return part if isinstance(part, Mapping) else {}

    def asked(self, *apart: str) -> dict[str, Any]:
        """Its spec without these parts, its label and its place in a series."""
        without = {"label", "repetition", "seed", *apart}
        return {name: part for name, part in self.spec.items() if name not in without}

    @property
    def packages(self) -> dict[str, str]:
        """Installed where the server ran: distribution to version."""
        packages: dict[str, str] = self.software.data["packages"] if self.software else {}
        return packages


class Note(Row):
    """What people keep beside a run, or beside all runs with a label."""

    run = models.OneToOneField(Run, null=True, on_delete=models.CASCADE, related_name="note")
    label = models.CharField(max_length=200, null=True, unique=True)
    text = models.TextField(blank=True, max_length=2000)
    starred = models.BooleanField(
        default=False, help_text="Whether comparisons take it as their baseline."
    )
    changed_at = Moment()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(run__isnull=True) ^ models.Q(label__isnull=True),
                name="note_of_run_or_label",
            )
        ]

    def __str__(self) -> str:
        return f"{'★ ' * self.starred}{self.text}"


class TuningTrial(Row):
    """One start of a tuning, in its order."""

    tuning = PartOf(Tuning, on_delete=models.CASCADE, related_name="trials")
    order = models.PositiveIntegerField(help_text="From 0.")
    trial = JSON(kind=Mapping[str, Any], help_text="What was measured, and why.")
    observation = JSON(kind=Mapping[str, Any], help_text="What was seen.")
    run = models.ForeignKey(Run, null=True, on_delete=models.SET_NULL, related_name="trials")

    class Meta:
        ordering = ["order"]
        constraints = [
            models.UniqueConstraint(fields=["tuning", "order"], name="one_trial_a_place")
        ]

    def __str__(self) -> str:
        return f"trial {self.order}"


class Measurement(Row):
    """Figures of one name over the window: all requests, a stage, one request, or one journey."""

    run = PartOf(Run, on_delete=models.CASCADE, related_name="measurements")
    name = models.CharField(max_length=500)
    scope = models.CharField(max_length=12)
    requests = models.PositiveBigIntegerField()
    failures = models.PositiveBigIntegerField()
    resent = models.PositiveBigIntegerField(default=0, help_text="Requests sent a second time.")
    failures_by_kind = JSON(kind=Mapping[str, int], default=dict)
    failure_examples = JSON(kind=Mapping[str, str], default=dict)
    throughput = models.FloatField()
    goodput = models.FloatField()
    body_bytes = models.PositiveBigIntegerField(default=0)
    concurrency = models.FloatField(null=True)
    queued = models.FloatField(
        null=True, help_text="Of the requests in flight, those beyond what the server takes."
    )
    patterns = JSON(
        kind="benchsuite.core.results.Patterns",
        default=list,
        empty=list,
        help_text="What slow answers share.",
    )
    response_time = JSON(kind=plain.Times, help_text="count, mean_s, min_s, max_s and percentiles.")
    service_time = JSON(kind=plain.Times, help_text="As response_time.")
    response_histogram = models.TextField(blank=True, help_text="Encoded HdrHistogram, in µs.")
    service_histogram = models.TextField(blank=True, help_text="Encoded HdrHistogram, in µs.")
    wait_time = JSON(kind=plain.Times, null=True, help_text="As response_time; open model only.")
    wait_histogram = models.TextField(blank=True, help_text="Encoded HdrHistogram, in µs.")
    offered_rate = models.FloatField(null=True, help_text="Arrivals planned per second.")
    achieved_rate = models.FloatField(null=True, help_text="Arrivals really sent per second.")
    late = models.PositiveBigIntegerField(null=True, help_text="Arrivals sent late.")
    dropped = models.PositiveBigIntegerField(null=True, help_text="Arrivals never sent.")
    level = models.FloatField(
        null=True, help_text="Of a stage: its users, or its arrivals per second."
    )
    order = models.PositiveIntegerField(default=0, help_text="Of a stage: its place, from 1.")

    class Meta:
        ordering = ["scope", "order", "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "scope", "order", "name"], name="one_measurement_a_name"
            )
        ]

    def __str__(self) -> str:
        return f"{self.scope} {self.name}"


class Interval(Row):
    """One second of a run, all requests together."""

    run = PartOf(Run, on_delete=models.CASCADE, related_name="intervals")
    second = models.PositiveIntegerField()
    phase = models.CharField(max_length=8, choices=_choices(states.Phase))
    successes = models.PositiveIntegerField()
    failures = models.PositiveIntegerField()
    users = models.PositiveIntegerField(null=True)
    p50_s = models.FloatField(null=True)
    p95_s = models.FloatField(null=True)
    p99_s = models.FloatField(null=True)
    connections = models.PositiveIntegerField(null=True, help_text="Open WebSockets or streams.")
    strays = models.PositiveIntegerField(
        null=True, help_text="Messages that nobody waited for: copies, late ones, damaged ones."
    )
    closed = models.PositiveIntegerField(
        null=True, help_text="WebSockets that ended before the load had ended them."
    )
    histogram = models.TextField(
        blank=True, help_text="Response times, encoded HdrHistogram, in µs."
    )

    class Meta:
        ordering = ["second"]
        constraints = [
            models.UniqueConstraint(fields=["run", "second"], name="one_interval_a_second")
        ]

    def __str__(self) -> str:
        return f"second {self.second}"


class Reading(Row):
    """One second of telemetry of one part: target, load, …"""

    run = PartOf(Run, on_delete=models.CASCADE, related_name="readings")
    second = models.FloatField()
    part = models.CharField(max_length=20)
    cpu_percent = models.FloatField(null=True)
    memory_bytes = models.PositiveBigIntegerField(null=True)
    processes = models.PositiveIntegerField(null=True)
    threads = models.PositiveIntegerField(null=True)
    open_files = models.PositiveIntegerField(null=True)
    counts = JSON(kind=Mapping[str, float], null=True, help_text="What a service says of itself.")
    work_s = models.FloatField(null=True)

    class Meta:
        ordering = ["part", "second"]

    def __str__(self) -> str:
        return f"{self.part} at {self.second:.1f} s"


class Finding(Row):
    """One doubt about a run."""

    run = PartOf(Run, on_delete=models.CASCADE, related_name="findings")
    code = models.CharField(max_length=40)
    level = models.CharField(max_length=8, choices=_choices(states.Level))
    message = models.TextField()
    hint = models.TextField(blank=True)
    value = models.FloatField(null=True, help_text="What was compared with the limits.")
    unit = models.CharField(max_length=8, blank=True, help_text="Of the value; none for a count.")
    causes = JSON(kind=list[str], default=list, help_text="Codes of what the value counts.")

    class Meta:
        ordering = ["code"]

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"
