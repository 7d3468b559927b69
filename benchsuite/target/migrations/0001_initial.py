import benchsuite.target.survey.store
import django.core.serializers.json
import django.core.validators
import django.db.models.deletion
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies: list[tuple[str, str]] = []
    operations = [
        migrations.CreateModel(
            name="Post",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("title", models.CharField(max_length=200)),
                ("content", models.TextField()),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("updated", models.DateTimeField(auto_now=True)),
            ],
        ),
        migrations.CreateModel(
            name="Comment",
            fields=[
                ("number", models.PositiveBigIntegerField(primary_key=True, serialize=False)),
                ("text", models.TextField()),
                ("likes", models.PositiveBigIntegerField(default=0)),
                ("post", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="benchsuite_target.post")),
            ],
        ),
        migrations.CreateModel(
            name="Survey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(help_text="Its address.", unique=True)),
                ("title", models.CharField(max_length=200)),
                ("intro", models.TextField(blank=True, help_text="Stands above the first page.")),
                ("thanks", models.TextField(blank=True, help_text="Stands on the last page.")),
            ],
            options={"ordering": ["slug"]},
        ),
        migrations.CreateModel(
            name="Page",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("survey", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="pages", to="benchsuite_target.survey")),
                ("number", models.PositiveSmallIntegerField(validators=[django.core.validators.MinValueValidator(1)])),
                ("title", models.CharField(max_length=200)),
                ("intro", models.TextField(blank=True)),
            ],
            options={
                "ordering": ["survey", "number"],
                "constraints": [models.UniqueConstraint(fields=("survey", "number"), name="survey_page_number")],
            },
        ),
        migrations.CreateModel(
            name="Question",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("page", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="questions", to="benchsuite_target.page")),
                ("position", models.PositiveSmallIntegerField()),
                ("name", models.SlugField(help_text="The name of its field in the form.")),
                ("kind", models.CharField(max_length=10, choices=[
                    ("short", "short text"), ("long", "long text"), ("number", "number"), ("date", "date"), ("email", "e-mail address"),
                    ("yesno", "yes or no"), ("radio", "one of several, as buttons"), ("select", "one of several, as a list"),
                    ("multiple", "several of several"), ("rating", "rating grid"), ("file", "file"),
                ])),
                ("text", models.CharField(max_length=300)),
                ("help", models.CharField(blank=True, max_length=300)),
                ("required", models.BooleanField(default=True)),
                ("minimum", models.DecimalField(blank=True, decimal_places=3, help_text="Least number, fewest ticks, or first step of a rating.", max_digits=12, null=True)),
                ("maximum", models.DecimalField(blank=True, decimal_places=3, help_text="Greatest number, most ticks, or last step of a rating.", max_digits=12, null=True)),
                ("decimals", models.PositiveSmallIntegerField(default=0, help_text="0 for whole numbers.")),
                ("earliest", models.DateField(blank=True, null=True)),
                ("latest", models.DateField(blank=True, null=True)),
                ("max_length", models.PositiveIntegerField(blank=True, null=True)),
                ("pattern", models.CharField(blank=True, help_text="A regular expression that the whole text must match.", max_length=200)),
                ("pattern_hint", models.CharField(blank=True, help_text="The pattern in words; shown with the question.", max_length=200)),
                ("low_label", models.CharField(blank=True, max_length=50)),
                ("high_label", models.CharField(blank=True, max_length=50)),
                ("max_bytes", models.PositiveIntegerField(blank=True, null=True)),
                ("accept", models.CharField(blank=True, help_text="Endings of allowed files: .pdf,.png", max_length=100)),
            ],
            options={
                "ordering": ["page", "position"],
                "constraints": [models.UniqueConstraint(fields=("page", "name"), name="survey_question_name")],
            },
        ),
        migrations.CreateModel(
            name="Choice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("question", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="choices", to="benchsuite_target.question")),
                ("position", models.PositiveSmallIntegerField()),
                ("value", models.SlugField()),
                ("label", models.CharField(max_length=200)),
            ],
            options={
                "ordering": ["question", "position"],
                "constraints": [models.UniqueConstraint(fields=("question", "value"), name="survey_choice_value")],
            },
        ),
        migrations.CreateModel(
            name="Condition",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("page", models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="conditions", to="benchsuite_target.page")),
                ("question", models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="conditions", to="benchsuite_target.question")),
                ("source", models.ForeignKey(help_text="A question of an earlier page.", on_delete=django.db.models.deletion.CASCADE, related_name="decides", to="benchsuite_target.question")),
                ("operator", models.CharField(choices=[("is", "is, or contains"), ("isnot", "is not, and does not contain"), ("atleast", "is at least"), ("atmost", "is at most")], default="is", max_length=10)),
                ("value", models.CharField(max_length=100)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("page", None), ("question", None), _connector="XOR"), name="survey_condition_on_one"),
                    models.UniqueConstraint(fields=("page", "source", "operator"), name="survey_condition_page"),
                    models.UniqueConstraint(fields=("question", "source", "operator"), name="survey_condition_question"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Participation",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("survey", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="participations", to="benchsuite_target.survey")),
                ("code", models.CharField(default=benchsuite.target.survey.store.new_code, editable=False, max_length=10)),
                ("done", models.JSONField(default=list, editable=False)),
                ("started", models.DateTimeField(auto_now_add=True)),
                ("completed", models.DateTimeField(blank=True, editable=False, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Answer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("participation", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="answers", to="benchsuite_target.participation")),
                ("question", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="answers", to="benchsuite_target.question")),
                ("value", models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder, null=True)),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("participation", "question"), name="survey_answer")]},
        ),
        migrations.CreateModel(
            name="Upload",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("participation", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="uploads", to="benchsuite_target.participation")),
                ("question", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="uploads", to="benchsuite_target.question")),
                ("name", models.CharField(max_length=200)),
                ("content_type", models.CharField(max_length=100)),
                ("content", models.BinaryField()),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("participation", "question"), name="survey_upload")]},
        ),
    ]
