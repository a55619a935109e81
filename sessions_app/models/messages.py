from __future__ import annotations

from django.db import models
from django.utils.timezone import now

from sessions_app.models.fields import TimeField
from sessions_app.models.sessions import Session


class Message(models.Model):
    """
    One message in the forest of all sessions' trees.

    A parent always has the smaller primary key, so a walk towards the root only
    ever goes down, and there can be no cycle. A parent may belong to another
    session: that is what a fork is.
    """

    session = models.ForeignKey(
        Session, models.DO_NOTHING, related_name="messages", db_index=False
    )
    uid = models.CharField(max_length=200)
    parent = models.ForeignKey(
        "self", models.DO_NOTHING, null=True, blank=True, related_name="replies"
    )
    skip = models.BigIntegerField(
        null=True, editable=False, help_text="An ancestor further up: see spine.py"
    )
    depth = models.PositiveIntegerField(editable=False)
    role = models.CharField(max_length=100)
    tokens = models.PositiveBigIntegerField(editable=False)
    path_tokens = models.PositiveBigIntegerField(
        editable=False, help_text="Tokens from the root to here"
    )
    seq = models.PositiveBigIntegerField(
        editable=False, help_text="Insertion number in its session, from 0"
    )
    created_at = TimeField(default=now, editable=False)
    # Last, so that a walk over the tree need not read past it.
    body = models.TextField(help_text="The message's JSON, as it was sent")

    class Meta:
        constraints = [
            models.UniqueConstraint("session", "uid", name="message_uid_per_session"),
            models.UniqueConstraint("session", "seq", name="message_seq_per_session"),
            models.CheckConstraint(
                name="message_follows_its_parent",
                condition=models.Q(parent__isnull=True)
                | models.Q(parent__lt=models.F("id")),
            ),
            models.CheckConstraint(
                name="message_root_iff_depth_zero",
                condition=models.Q(parent=None, depth=0)
                | models.Q(parent__isnull=False, depth__gt=0),
            ),
        ]
        indexes = [models.Index(fields=["created_at"], name="message_by_time")]

    def __str__(self) -> str:
        return f"{self.role} {self.uid}"


class Label(models.Model):
    """A name that a session gives to a message of its tree."""

    session = models.ForeignKey(Session, models.CASCADE, related_name="labels")
    message = models.ForeignKey(Message, models.CASCADE, related_name="labels")
    text = models.CharField(max_length=200)

    class Meta:
        constraints = [
            models.UniqueConstraint("session", "message", name="label_per_message")
        ]

    def __str__(self) -> str:
        return self.text
