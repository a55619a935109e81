from __future__ import annotations

from django.db import models
from django.utils.timezone import now

from sessions_app.models import Session
from sessions_app.models.fields import TimeField


class SkillCall(models.Model):
    """
    A load or an unload of a turn that is not stored yet.

    A model calls several tools before its messages are appended. The row counts only
    while the head is where it was; from then on the path itself says what is loaded.
    """

    session = models.ForeignKey(
        Session, models.CASCADE, related_name="skill_calls", db_index=False
    )
    head = models.BigIntegerField(default=0, help_text="Primary key, or 0 for none")
    label = models.CharField(max_length=200)
    key = models.CharField(max_length=400)
    loaded = models.BooleanField()
    created_at = TimeField(default=now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "session", "label", "key", name="skill_call_per_session"
            )
        ]

    def __str__(self) -> str:
        return f"{'load' if self.loaded else 'unload'} {self.label}:{self.key}"
