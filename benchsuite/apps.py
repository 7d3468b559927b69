from django.apps import AppConfig


class BenchsuiteConfig(AppConfig):
    name = "benchsuite"
    verbose_name = "Benchmarks"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        pass
