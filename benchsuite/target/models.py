"""The tables of the io_* views, and those of the survey application."""

import uuid
from typing import Any

from django.db import models

from benchsuite.target.survey import definitions as definitions
from benchsuite.target.survey import store as store


class Post(models.Model):
    """A typical row; without ordering, so that a page of them needs no sort."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    title = models.CharField(max_length=200)
    content = models.TextField()
    created = models.DateTimeField(auto_now_add=True)
    updated = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.title

    def to_json(self) -> dict[str, str]:
        return {
            "id": str(self.id),
            "title": self.title,
            "content": self.content,
            "created": self.created.isoformat(),
            "updated": self.updated.isoformat(),
        }


class Comment(models.Model):
    """One on each post, numbered from 1 on, so that a random one is found by its number."""

    number = models.PositiveBigIntegerField(primary_key=True)
    post = models.ForeignKey(Post, on_delete=models.CASCADE)
    text = models.TextField()
    likes = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.number}: {self.text}"

    def to_json(self) -> dict[str, Any]:
        """With its post, which was read with it."""
        post = self.post.to_json()
        return {"number": self.number, "text": self.text, "likes": self.likes, "post": post}
