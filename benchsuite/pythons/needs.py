"""What benchsuite needs in the environment of a server that it starts, beside what the project has.

By name alone: which version suits the project's Django is pip's to find.
"""

SERVED = ("dj-database-url",)  #: What the settings of a run import (`isolation.overrides`).

CONSOLE = ("django-filter", "django-tables2", "numpy", "rich")
"""What a project's URLs and admin import when benchsuite's pages are among them."""

OLDEST = (3, 11)  #: The oldest Python that can import benchsuite's part of a measured server.
