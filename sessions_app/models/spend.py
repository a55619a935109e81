"""Sums over the ledger, which triggers keep: nothing else writes to them."""

from __future__ import annotations

from django.db import models

from sessions_app.models.agents import Agent
from sessions_app.models.sessions import Session


class Sums(models.Model):
    """``cost_nanos`` is of the calls that have a cost; the rest are ``unpriced``."""

    calls = models.PositiveBigIntegerField(default=0)
    unpriced = models.PositiveBigIntegerField(default=0)
    input_tokens = models.BigIntegerField(default=0)
    output_tokens = models.BigIntegerField(default=0)
    cache_read_tokens = models.BigIntegerField(default=0)
    cache_write_tokens = models.BigIntegerField(default=0)
    reasoning_tokens = models.BigIntegerField(default=0)
    cost_nanos = models.BigIntegerField(default=0)
    computed_nanos = models.BigIntegerField(default=0)

    class Meta:
        abstract = True


class UsageDay(Sums):
    """What was used on a day of UTC, counted in days since 1970."""

    day = models.IntegerField()
    agent = models.ForeignKey(
        Agent, models.CASCADE, related_name="usage_days", db_index=False
    )
    provider = models.CharField(max_length=100)
    model = models.CharField(max_length=200)
    purpose = models.CharField(max_length=50)
    key = models.BigIntegerField(help_text="The id of an API key; 0 is none")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["day", "agent", "provider", "model", "purpose", "key"],
                name="usage_day_once",
            )
        ]
        indexes = [
            models.Index(fields=["agent", "day"], name="usage_day_by_agent"),
            models.Index(fields=["key", "day"], name="usage_day_by_key"),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.model}"


class SessionDay(Sums):
    """What a session used on a day, imported or not."""

    session = models.ForeignKey(
        Session, models.CASCADE, related_name="usage_days", db_index=False
    )
    day = models.IntegerField()
    imported = models.BooleanField()
    agent = models.ForeignKey(
        Agent, models.CASCADE, related_name="session_days", db_index=False
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session", "day", "imported"], name="session_day_once"
            )
        ]
        indexes = [
            models.Index(fields=["day"], name="session_day_by_day"),
            models.Index(fields=["agent", "day"], name="session_day_by_agent"),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.session_id}"
