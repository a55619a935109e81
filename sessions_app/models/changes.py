from __future__ import annotations

from django.db import models
from django.utils.timezone import now

from sessions_app.models.fields import TimeField
from sessions_app.models.sessions import Session


class MessageChange(models.Model):
    """
    One act that changed or removed messages of a session, to be undone.

    What it took is in the tables below, by primary keys that are no references: the
    rows are not there. It goes after some time, and with its session.
    """

    class Action(models.TextChoices):
        EDIT = "edit"
        REPARENT = "reparent"
        SUBTREE = "subtree"
        CLEAR = "clear"

    session = models.ForeignKey(Session, models.CASCADE, related_name="message_changes")
    action = models.CharField(max_length=10, choices=Action)
    by = models.CharField(max_length=300, blank=True, default="")
    count = models.PositiveIntegerField(default=1, help_text="Messages")
    first = models.JSONField(default=list, help_text="The ids of some of them")
    # The head before and after, and whether anything was appended since.
    head = models.BigIntegerField(null=True)
    head_after = models.BigIntegerField(null=True)
    next_seq = models.PositiveBigIntegerField(default=0)
    created_at = TimeField(default=now, editable=False)
    undone_at = TimeField(null=True, editable=False)
    undone_by = models.CharField(max_length=300, blank=True, default="")

    def __str__(self) -> str:
        return f"{self.action} {self.pk}"


class KeptMessage(models.Model):
    """
    A message as it was before a change; of those that only moved, their place.

    An act on several messages takes a step for each, which are undone backwards.
    """

    class What(models.TextChoices):
        EDITED = "edited"
        GONE = "gone"
        MOVED = "moved"

    change = models.ForeignKey(MessageChange, models.CASCADE, related_name="messages")
    step = models.PositiveIntegerField(default=0)
    what = models.CharField(max_length=10, choices=What)
    ref = models.BigIntegerField(help_text="Primary key of the message")
    uid = models.CharField(max_length=200)
    parent = models.BigIntegerField(null=True)
    skip = models.BigIntegerField(null=True)
    depth = models.PositiveIntegerField()
    role = models.CharField(max_length=100)
    tokens = models.PositiveBigIntegerField()
    path_tokens = models.PositiveBigIntegerField()
    seq = models.PositiveBigIntegerField()
    created_at = TimeField()
    label = models.CharField(max_length=200, blank=True, default="")
    body = models.TextField(blank=True, default="")

    class Meta:
        indexes = [
            models.Index(fields=["uid"], name="kept_message_by_uid"),
            # New messages get keys above these: see sessions_app.ids.
            models.Index(fields=["ref"], name="kept_message_by_ref"),
        ]

    def __str__(self) -> str:
        return f"{self.what} {self.uid}"


class KeptUsage(models.Model):
    """Which message that is gone a row of the ledger belonged to."""

    change = models.ForeignKey(MessageChange, models.CASCADE, related_name="usage_rows")
    step = models.PositiveIntegerField(default=0)
    ref = models.BigIntegerField(help_text="Primary key of the message")
    usage = models.BigIntegerField(help_text="Primary key of the ledger's row")

    def __str__(self) -> str:
        return f"usage {self.usage}"


class KeptCompaction(models.Model):
    """Ends that a compaction had before they were moved (else null), or all of it."""

    change = models.ForeignKey(
        MessageChange, models.CASCADE, related_name="compactions"
    )
    step = models.PositiveIntegerField(default=0)
    ref = models.BigIntegerField(help_text="Primary key of the compaction")
    first = models.BigIntegerField(null=True)
    last = models.BigIntegerField(null=True)
    row = models.TextField(
        blank=True, default="", help_text="JSON, if the compaction is gone"
    )

    def __str__(self) -> str:
        return f"compaction {self.ref}"
