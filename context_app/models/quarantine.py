from __future__ import annotations

from django.db import models
from django.utils.timezone import now

from context_app.models.blocks import Block
from sessions_app.models.fields import TimeField


class HeldWrite(models.Model):
    """
    A write that looked like prompt injection, kept apart until an operator decides.
    """

    class Action(models.TextChoices):
        SET = "set"
        APPEND = "append"
        ENTRY = "entry"

    class State(models.TextChoices):
        HELD = "held"
        APPROVED = "approved"
        REJECTED = "rejected"

    block = models.ForeignKey(Block, models.CASCADE, related_name="held_writes")
    action = models.CharField(max_length=10, choices=Action)
    key = models.CharField(max_length=200, blank=True, default="")
    # Null: it stays as it is. An empty text is written.
    content = models.TextField(null=True)  # noqa: DJ001
    description = models.TextField(null=True)  # noqa: DJ001
    findings = models.JSONField(default=list)
    author = models.CharField(max_length=300)
    state = models.CharField(max_length=10, choices=State, default=State.HELD)
    decided_by = models.CharField(max_length=300, blank=True, default="")
    decided_at = TimeField(null=True)
    created_at = TimeField(default=now, editable=False)

    class Meta:
        indexes = [models.Index(fields=["state", "id"], name="held_write_by_state")]

    def __str__(self) -> str:
        return f"{self.action} of {self.block}"
