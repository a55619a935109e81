from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import F, Func, Q
from django.utils.timezone import now

from sessions_app.models.agents import Agent
from sessions_app.models.fields import TimeField

if TYPE_CHECKING:
    from sessions_app.models.messages import Message


class Priced(Func):
    """A cost to sort by, in which an unknown one comes below nothing at all."""

    # Not a parameter: SQLite would not see that it is what the index is of.
    template = "COALESCE(%(expressions)s, -1)"
    output_field = models.BigIntegerField()


class SessionQuerySet(models.QuerySet["Session"]):
    def of(self, agent: Agent | None) -> SessionQuerySet:
        """Return the sessions that an agent may see; without one, all."""
        return self.all() if agent is None else self.filter(agent=agent)

    def living(self) -> SessionQuerySet:
        """Leave out what is in the trash, and what has outlived its time to live."""
        return self.unexpired().filter(trashed_at=None)

    def gone(self) -> SessionQuerySet:
        """Return the others: what will be deleted, unless it is restored before."""
        return self.filter(Q(expires_at__lte=now()) | Q(trashed_at__isnull=False))

    def unexpired(self) -> SessionQuerySet:
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=now()))


SessionManager = models.Manager.from_queryset(SessionQuerySet)


class Session(models.Model):
    """
    A conversation: a tree of messages, and the head that the next one follows.

    A fork is a session whose ``fork_point`` is a message of another: it shares
    that message and all above it, without a copy.
    """

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="sessions")
    key = models.CharField(max_length=200)
    name = models.CharField(max_length=500, blank=True, default="")
    parent_session = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="children"
    )
    fork_point: models.ForeignKey[Message | None] = models.ForeignKey(
        "Message", models.DO_NOTHING, null=True, blank=True, related_name="forks"
    )
    head: models.ForeignKey[Message | None] = models.ForeignKey(
        "Message", models.DO_NOTHING, null=True, blank=True, related_name="+"
    )
    model = models.CharField(max_length=200, blank=True, default="")
    source = models.CharField(max_length=200, blank=True, default="")
    kind = models.CharField(max_length=50, blank=True, default="chat")
    end_reason = models.CharField(max_length=200, blank=True, default="")
    metadata = models.JSONField(default=dict, blank=True)
    ephemeral = models.BooleanField(default=False)
    compact_after = models.PositiveBigIntegerField(null=True, blank=True)
    kv_cap = models.PositiveIntegerField(default=200)
    transcript_cap = models.PositiveIntegerField(null=True, blank=True)

    # What the path to the head hides behind compactions, and what the tree holds:
    # kept by the services that write, so that no read has to count.
    hidden_tokens = models.BigIntegerField(default=0, editable=False)
    message_count = models.PositiveIntegerField(default=0, editable=False)
    next_seq = models.PositiveBigIntegerField(default=0, editable=False)

    # How the last attempt to compact it went.
    compaction_error = models.CharField(
        max_length=1000, blank=True, default="", editable=False
    )
    compaction_failed_at = TimeField(null=True, editable=False)
    compaction_tried = models.PositiveBigIntegerField(
        null=True,
        editable=False,
        help_text="Context tokens at which there was nothing more to compact",
    )

    # Sums over the usage rows, kept by triggers.
    calls = models.PositiveIntegerField(default=0, editable=False)
    input_tokens = models.BigIntegerField(default=0, editable=False)
    output_tokens = models.BigIntegerField(default=0, editable=False)
    cache_read_tokens = models.BigIntegerField(default=0, editable=False)
    cache_write_tokens = models.BigIntegerField(default=0, editable=False)
    reasoning_tokens = models.BigIntegerField(default=0, editable=False)
    cost_nanos = models.BigIntegerField(
        null=True, editable=False, help_text="Billionths of a US dollar"
    )
    unpriced = models.PositiveIntegerField(default=0, editable=False)

    archived_at = TimeField(null=True, blank=True)
    trashed_at = TimeField(null=True, editable=False)
    expires_at = TimeField(null=True, blank=True)
    created_at = TimeField(default=now, editable=False)
    updated_at = TimeField(default=now, editable=False)

    objects = SessionManager()

    class Meta:
        constraints = [
            models.UniqueConstraint("agent", "key", name="session_key_per_agent")
        ]
        indexes = [
            models.Index(fields=["agent", "updated_at", "id"], name="session_recent"),
            models.Index(fields=["updated_at", "id"], name="session_recent_of_all"),
            # What the list of all sessions is sorted by.
            models.Index(Priced("cost_nanos"), F("id"), name="session_by_cost"),
            models.Index(fields=["message_count", "id"], name="session_by_messages"),
            models.Index(fields=["created_at", "id"], name="session_by_age"),
            models.Index(fields=["name", "id"], name="session_by_name"),
            models.Index(
                fields=["updated_at", "id"],
                name="session_archived",
                condition=Q(archived_at__isnull=False),
            ),
            models.Index(
                fields=["updated_at", "id"],
                name="session_compaction_failed",
                condition=Q(compaction_failed_at__isnull=False),
            ),
            models.Index(
                fields=["trashed_at"],
                name="session_trashed",
                condition=Q(trashed_at__isnull=False),
            ),
            models.Index(
                fields=["expires_at"],
                name="session_expiring",
                condition=Q(expires_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.name or self.key
