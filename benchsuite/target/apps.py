from django.apps import AppConfig


class TargetConfig(AppConfig):
    name = "benchsuite.target"
    label = "benchsuite_target"
    verbose_name = "Benchmark target"
    default_auto_field = "django.db.models.BigAutoField"
