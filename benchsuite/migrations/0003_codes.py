# Values and codes of findings and failures, which programs had read in the sentences before

from django.db import migrations, models

LIMITS = {
    "connections found a full listen queue": "listen-queue",
    "the database had no connection left": "database-sessions",
    "the database pool had no connection left": "database-pool",
    "SQLite was locked by another writer": "sqlite-lock",
    "the target had no file descriptor left": "open-files",
    "the target could start no more threads": "threads",
    "this machine had no port left to connect from": "ports",
    "the load process had no file descriptor left": "open-files-of-load",
}


def read_sentences(apps, schema_editor):
    """What the sentences of stored runs said where it decided something."""
    alias = schema_editor.connection.alias
    runs = apps.get_model("benchsuite", "Run").objects.using(alias)
    findings = apps.get_model("benchsuite", "Finding").objects.using(alias)
    full = runs.filter(failure__startswith="There is no space left ")
    full.update(failure_code="disk-full")
    for words, code in LIMITS.items():
        for finding in findings.filter(code__startswith="B204", message__contains=words):
            finding.causes = [*finding.causes, code]
            finding.save(update_fields=["causes"])


class Migration(migrations.Migration):

    dependencies = [
        ('benchsuite', '0002_patterns'),
    ]

    operations = [
        migrations.AddField(
            model_name='finding',
            name='causes',
            field=models.JSONField(default=list, help_text='Codes of what the value counts.'),
        ),
        migrations.AddField(
            model_name='finding',
            name='unit',
            field=models.CharField(blank=True, help_text='Of the value; none for a count.', max_length=8),
        ),
        migrations.AddField(
            model_name='finding',
            name='value',
            field=models.FloatField(help_text='What was compared with the limits.', null=True),
        ),
        migrations.AddField(
            model_name='run',
            name='failure_code',
            field=models.CharField(blank=True, help_text='The same for programs, where that decides anything.', max_length=20),
        ),
        migrations.RunPython(read_sentences, migrations.RunPython.noop, elidable=True),
    ]
