from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("benchsuite", "0004_notes")]

    operations = [
        migrations.AddField(
            model_name="studyrun",
            name="claims",
            field=models.BooleanField(
                default=False, help_text="Whether only what claims need was executed."
            ),
        ),
        migrations.AddField(
            model_name="studyrun",
            name="looks",
            field=models.PositiveSmallIntegerField(
                default=1,
                help_text="How often it was looked at, at the most, to decide what to run next.",
            ),
        ),
    ]
