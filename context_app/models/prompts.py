from __future__ import annotations

from django.db import models
from django.utils.timezone import now

from sessions_app.models import Session
from sessions_app.models.fields import TimeField


class Prompt(models.Model):
    """
    A system prompt as it was frozen. The newest of a session is the one in use.
    """

    session = models.ForeignKey(
        Session, models.CASCADE, related_name="prompts", db_index=False
    )
    version = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    sha256 = models.CharField(max_length=64)
    tokens = models.PositiveBigIntegerField()
    hosted = models.BooleanField(
        default=False, help_text="Has blocks of a host's own, which only it can render"
    )
    frozen_at = TimeField(default=now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "session", "version", name="prompt_version_per_session"
            )
        ]

    def __str__(self) -> str:
        return f"Prompt v{self.version}"
