import django.db.models.deletion
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Environment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("fingerprint", models.CharField(max_length=64, unique=True)),
                ("data", models.JSONField()),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "batch",
                    models.UUIDField(
                        db_index=True,
                        default=uuid.uuid4,
                        help_text="Shared by the runs of one command.",
                    ),
                ),
                (
                    "owner",
                    models.CharField(
                        blank=True,
                        help_text="The process that runs it, while it runs.",
                        max_length=100,
                    ),
                ),
                ("started_at", models.DateTimeField(db_index=True)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("running", "running"),
                            ("finished", "finished"),
                            ("failed", "failed"),
                            ("interrupted", "interrupted"),
                        ],
                        default="running",
                        max_length=12,
                    ),
                ),
                (
                    "verdict",
                    models.CharField(
                        blank=True,
                        choices=[("valid", "valid"), ("weak", "weak"), ("invalid", "invalid")],
                        max_length=8,
                    ),
                ),
                ("failure", models.TextField(blank=True)),
                ("label", models.CharField(blank=True, db_index=True, max_length=200)),
                (
                    "key",
                    models.CharField(
                        db_index=True, help_text="Equal for runs of the same cell.", max_length=64
                    ),
                ),
                ("workload", models.CharField(db_index=True, max_length=100)),
                ("server", models.CharField(db_index=True, max_length=100)),
                ("server_version", models.CharField(blank=True, max_length=100)),
                ("python_version", models.CharField(blank=True, max_length=100)),
                ("processes", models.PositiveIntegerField(null=True)),
                ("threads", models.PositiveIntegerField(null=True)),
                ("model", models.CharField(default="closed", max_length=8)),
                (
                    "users",
                    models.PositiveIntegerField(
                        help_text="Of the closed model; with stages, those of the highest.",
                        null=True,
                    ),
                ),
                (
                    "arrival_rate",
                    models.FloatField(
                        help_text="Of the open model, per second; with stages, that of the highest.",
                        null=True,
                    ),
                ),
                ("duration_s", models.FloatField()),
                ("warmup_s", models.FloatField()),
                ("repetition", models.PositiveIntegerField(default=1)),
                ("spec", models.JSONField()),
                ("argv", models.JSONField(default=list)),
                ("settings_changed", models.JSONField(default=dict)),
                ("log_tail", models.TextField(blank=True)),
                ("startup_s", models.FloatField(null=True)),
                ("requests", models.PositiveBigIntegerField(null=True)),
                ("failures", models.PositiveBigIntegerField(null=True)),
                ("throughput", models.FloatField(null=True)),
                ("goodput", models.FloatField(null=True)),
                ("mean_s", models.FloatField(null=True)),
                ("p50_s", models.FloatField(null=True)),
                ("p95_s", models.FloatField(null=True)),
                ("p99_s", models.FloatField(null=True)),
                ("cpu_percent", models.FloatField(null=True)),
                ("memory_bytes", models.PositiveBigIntegerField(null=True)),
                ("sampler_cpu_percent", models.FloatField(null=True)),
                (
                    "environment",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="benchsuite.environment",
                    ),
                ),
            ],
            options={
                "ordering": ["-started_at", "server"],
            },
        ),
        migrations.CreateModel(
            name="Reading",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("second", models.FloatField()),
                ("part", models.CharField(max_length=20)),
                ("cpu_percent", models.FloatField(null=True)),
                ("memory_bytes", models.PositiveBigIntegerField(null=True)),
                ("processes", models.PositiveIntegerField(null=True)),
                ("threads", models.PositiveIntegerField(null=True)),
                ("open_files", models.PositiveIntegerField(null=True)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="readings",
                        to="benchsuite.run",
                    ),
                ),
            ],
            options={
                "ordering": ["part", "second"],
            },
        ),
        migrations.CreateModel(
            name="Finding",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("code", models.CharField(max_length=40)),
                (
                    "level",
                    models.CharField(
                        choices=[("info", "info"), ("weak", "weak"), ("invalid", "invalid")],
                        max_length=8,
                    ),
                ),
                ("message", models.TextField()),
                ("hint", models.TextField(blank=True)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="findings",
                        to="benchsuite.run",
                    ),
                ),
            ],
            options={
                "ordering": ["code"],
            },
        ),
        migrations.CreateModel(
            name="Calibration",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("measured_at", models.DateTimeField(auto_now_add=True)),
                ("users", models.PositiveIntegerField()),
                ("keep_alive", models.BooleanField()),
                ("throughput", models.FloatField(help_text="Requests per second.")),
                ("load_cpu_percent", models.FloatField(null=True)),
                ("responder_cpu_percent", models.FloatField(null=True)),
                ("others_percent", models.FloatField(null=True)),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="calibrations",
                        to="benchsuite.environment",
                    ),
                ),
            ],
            options={
                "ordering": ["-keep_alive", "users"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("environment", "users", "keep_alive"), name="one_calibration_a_load"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Measurement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=500)),
                ("scope", models.CharField(max_length=8)),
                ("requests", models.PositiveBigIntegerField()),
                ("failures", models.PositiveBigIntegerField()),
                ("failures_by_kind", models.JSONField(default=dict)),
                ("failure_examples", models.JSONField(default=dict)),
                ("throughput", models.FloatField()),
                ("goodput", models.FloatField()),
                ("body_bytes", models.PositiveBigIntegerField(default=0)),
                ("concurrency", models.FloatField(null=True)),
                (
                    "response_time",
                    models.JSONField(help_text="count, mean_s, min_s, max_s and percentiles."),
                ),
                ("service_time", models.JSONField(help_text="As response_time.")),
                (
                    "response_histogram",
                    models.TextField(blank=True, help_text="Encoded HdrHistogram, in µs."),
                ),
                (
                    "service_histogram",
                    models.TextField(blank=True, help_text="Encoded HdrHistogram, in µs."),
                ),
                (
                    "wait_time",
                    models.JSONField(help_text="As response_time; open model only.", null=True),
                ),
                (
                    "wait_histogram",
                    models.TextField(blank=True, help_text="Encoded HdrHistogram, in µs."),
                ),
                (
                    "offered_rate",
                    models.FloatField(help_text="Arrivals planned per second.", null=True),
                ),
                (
                    "achieved_rate",
                    models.FloatField(help_text="Arrivals really sent per second.", null=True),
                ),
                (
                    "late",
                    models.PositiveBigIntegerField(help_text="Arrivals sent late.", null=True),
                ),
                (
                    "dropped",
                    models.PositiveBigIntegerField(help_text="Arrivals never sent.", null=True),
                ),
                (
                    "level",
                    models.FloatField(
                        help_text="Of a stage: its users, or its arrivals per second.", null=True
                    ),
                ),
                (
                    "order",
                    models.PositiveIntegerField(
                        default=0, help_text="Of a stage: its place, from 1."
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="measurements",
                        to="benchsuite.run",
                    ),
                ),
            ],
            options={
                "ordering": ["scope", "order", "name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("run", "scope", "order", "name"), name="one_measurement_a_name"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Interval",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("second", models.PositiveIntegerField()),
                (
                    "phase",
                    models.CharField(
                        choices=[("warm-up", "warm-up"), ("window", "window"), ("drain", "drain")],
                        max_length=8,
                    ),
                ),
                ("successes", models.PositiveIntegerField()),
                ("failures", models.PositiveIntegerField()),
                ("users", models.PositiveIntegerField(null=True)),
                ("p50_s", models.FloatField(null=True)),
                ("p95_s", models.FloatField(null=True)),
                ("p99_s", models.FloatField(null=True)),
                (
                    "histogram",
                    models.TextField(
                        blank=True, help_text="Response times, encoded HdrHistogram, in µs."
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="intervals",
                        to="benchsuite.run",
                    ),
                ),
            ],
            options={
                "ordering": ["second"],
                "constraints": [
                    models.UniqueConstraint(fields=("run", "second"), name="one_interval_a_second")
                ],
            },
        ),
    ]
