from __future__ import annotations

from django.db import models
from django.utils.timezone import now

from sessions_app.models.fields import TimeField


class Upload(models.Model):
    """
    Files that a person uploaded to import: looked through first, then imported.

    ``files`` are {"name", "path", "size"}, the path in the folder of uploads; ``found``
    and ``result`` are what the dry run and the import said of each.
    """

    class State(models.TextChoices):
        CHECKING = "checking"
        CHECKED = "checked"
        IMPORTING = "importing"
        DONE = "done"
        FAILED = "failed"
        DISCARDED = "discarded"

    state = models.CharField(max_length=10, choices=State, default=State.CHECKING)
    agent = models.CharField(max_length=200, help_text="Whose the sessions will be")
    format = models.CharField(
        max_length=50, blank=True, default="", help_text="Empty: told by the files"
    )
    files = models.JSONField(default=list)
    total_bytes = models.PositiveBigIntegerField(default=0)
    read_bytes = models.PositiveBigIntegerField(default=0)
    found = models.JSONField(default=list)
    result = models.JSONField(default=list)
    error = models.CharField(max_length=1000, blank=True, default="")
    created_by = models.CharField(max_length=200, blank=True, default="")
    created_at = TimeField(default=now)
    updated_at = TimeField(default=now)

    class Meta:
        indexes = [models.Index(fields=["created_at"], name="upload_by_age")]

    def __str__(self) -> str:
        return f"upload {self.id}"

    @property
    def is_running(self) -> bool:
        return self.state in (self.State.CHECKING, self.State.IMPORTING)
