"""The settings of the smallest project with Channels: no database, no layer, no middleware."""

SECRET_KEY = "for a server that echoes to this machine only"
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
USE_TZ = True
ROOT_URLCONF = "tests.integration.settings_smallest"
INSTALLED_APPS = ["benchsuite.target"]

urlpatterns: list[object] = []
