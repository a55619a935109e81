from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.timezone import now

from sessions_app.models.fields import TimeField
from sessions_app.models.messages import Message
from sessions_app.models.sessions import Session


class Compaction(models.Model):
    """
    A summary laid over a stretch of a path; what it covers is never touched.

    While it is active, a walk up from below that reaches ``last`` reads the
    summary and goes on above ``first``.
    """

    class State(models.TextChoices):
        ACTIVE = "active"
        DISABLED = "disabled"

    session = models.ForeignKey(
        Session, models.CASCADE, related_name="compactions", db_index=False
    )
    uid = models.CharField(max_length=36)
    first = models.ForeignKey(Message, models.DO_NOTHING, related_name="+")
    last = models.ForeignKey(Message, models.DO_NOTHING, related_name="+")
    summary = models.TextField()
    state = models.CharField(max_length=10, choices=State, default=State.ACTIVE)
    tokens_before = models.PositiveBigIntegerField(default=0, editable=False)
    tokens_after = models.PositiveBigIntegerField(default=0, editable=False)
    method = models.CharField(max_length=50, default="client")
    model = models.CharField(max_length=200, blank=True, default="")
    cost_nanos = models.BigIntegerField(
        null=True,
        editable=False,
        help_text="Billionths of a US dollar; null is unknown",
    )
    created_by = models.CharField(max_length=200, blank=True, default="")
    created_at = TimeField(default=now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "session", "uid", name="compaction_uid_per_session"
            ),
            models.CheckConstraint(
                name="compaction_runs_downwards",
                condition=Q(first__lte=models.F("last")),
            ),
        ]
        indexes = [
            models.Index(
                fields=["session", "last"],
                name="compaction_active",
                condition=Q(state="active"),
            )
        ]

    def __str__(self) -> str:
        return self.uid
