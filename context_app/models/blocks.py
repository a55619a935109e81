from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.timezone import now

from sessions_app.models import Agent, Session
from sessions_app.models.fields import TimeField


class BlockQuerySet(models.QuerySet["Block"]):
    def seen_by(self, session: Session) -> BlockQuerySet:
        """The session's own and those its agent shares, in the order of the prompt."""
        own = Q(session=session)
        shared = Q(agent=session.agent_id, shared=True)
        return self.filter(own | shared).in_order()

    def of(self, agent: Agent) -> BlockQuerySet:
        """What belongs to an agent itself, shared or as templates, in order."""
        return self.filter(agent=agent).in_order()

    def in_order(self) -> BlockQuerySet:
        return self.order_by("position", "id")


BlockManager = models.Manager.from_queryset(BlockQuerySet)


class Block(models.Model):
    """
    A labelled section of the system prompt.

    It belongs to a session, or to an agent: then it is shared, one content for all of
    the agent's sessions, or a template, of which each new session gets a copy.
    """

    class Kind(models.TextChoices):
        READONLY = "readonly"
        WRITABLE = "writable"
        SKILL = "skill"
        SEARCH = "search"

    class Source(models.TextChoices):
        """Where the entries of a keyed block are: here, in files, or in all sessions."""

        OWN = "own"
        STORAGE = "storage"
        HISTORY = "history"

    session = models.ForeignKey(
        Session,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="blocks",
        db_index=False,
    )
    agent = models.ForeignKey(
        Agent,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="blocks",
        db_index=False,
    )
    shared = models.BooleanField(default=False)
    label = models.CharField(max_length=200)
    description = models.TextField(blank=True, default="")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.WRITABLE)
    source = models.CharField(max_length=10, choices=Source, default=Source.OWN)
    storage = models.JSONField(
        default=dict, blank=True, help_text="Of files: prefix, keys, writable"
    )
    max_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    position = models.PositiveIntegerField(default=0)
    # Of a keyed block: what its entries come to, as the prompt shows it.
    content = models.TextField(blank=True, default="")
    tokens = models.PositiveBigIntegerField(default=0, editable=False)
    findings = models.JSONField(
        default=list, editable=False, help_text="What the scan found in it"
    )
    version = models.PositiveIntegerField(default=1, editable=False)
    created_at = TimeField(default=now, editable=False)
    updated_at = TimeField(default=now, editable=False)

    objects = BlockManager()

    class Meta:
        constraints = [
            models.UniqueConstraint("session", "label", name="block_label_per_session"),
            models.UniqueConstraint("agent", "label", name="block_label_per_agent"),
            models.CheckConstraint(
                name="block_of_session_or_agent",
                condition=Q(session__isnull=False, agent=None, shared=False)
                | Q(session=None, agent__isnull=False),
            ),
            models.CheckConstraint(
                name="block_source_fits_kind",
                condition=Q(source="own")
                | Q(source="storage", kind="skill")
                | Q(source="history", kind="search"),
            ),
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def is_skill(self) -> bool:
        return self.kind == self.Kind.SKILL

    @property
    def is_searchable(self) -> bool:
        return self.kind == self.Kind.SEARCH

    @property
    def is_keyed(self) -> bool:
        """Say whether it holds entries, rather than one text."""
        return self.is_skill or self.is_searchable

    @property
    def writable(self) -> bool:
        """Say whether a model may write to it."""
        if self.kind == self.Kind.READONLY or self.source == self.Source.HISTORY:
            return False
        return self.source == self.Source.OWN or bool(self.storage.get("writable"))
