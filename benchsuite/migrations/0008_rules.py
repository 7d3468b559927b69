from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("benchsuite", "0007_project")]

    operations = [
        migrations.AddField(
            model_name="studyrun",
            name="rules",
            field=models.PositiveSmallIntegerField(
                default=1, help_text="Which rules its runs were judged by."
            ),
        ),
        migrations.AddField(
            model_name="studyrun",
            name="mixed",
            field=models.JSONField(
                default=list, help_text="What had changed where it was gone on with all the same."
            ),
        ),
    ]
