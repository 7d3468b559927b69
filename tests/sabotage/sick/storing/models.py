from django.db import models


class Entry(models.Model):
    text = models.CharField(max_length=40)

    def __str__(self) -> str:
        return self.text


class Seen(models.Model):
    """A log of all requests."""

    path = models.CharField(max_length=100)

    def __str__(self) -> str:
        return self.path
