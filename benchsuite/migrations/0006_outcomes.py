from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("benchsuite", "0005_looks")]

    operations = [
        migrations.AddField(
            model_name="studyrun",
            name="outcomes",
            field=models.JSONField(
                default=dict,
                help_text="How many of its claims hold, don't hold and can't be told, when it ended.",
            ),
        ),
    ]
