from __future__ import annotations

from django.db import models
from django.utils.timezone import now

from sessions_app.models.agents import Agent, ApiKey
from sessions_app.models.fields import TimeField
from sessions_app.models.messages import Message
from sessions_app.models.sessions import Session


class Usage(models.Model):
    """
    What one call of a model used: a row of the ledger.

    The token buckets are disjoint. It outlives its session and its message: the
    money stays spent. Triggers keep the sums over it (sessions_app.sql.ledger).
    """

    class CostSource(models.TextChoices):
        UNKNOWN = "", "unknown"
        REPORTED = "reported"
        COMPUTED = "computed"

    # No index but those below: each would cost every turn. They begin with these.
    agent = models.ForeignKey(
        Agent, models.CASCADE, related_name="usage", db_index=False
    )
    session = models.ForeignKey(
        Session,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="usage_rows",
        db_index=False,
    )
    message = models.ForeignKey(
        Message, models.SET_NULL, null=True, blank=True, related_name="usage_rows"
    )
    key = models.ForeignKey(
        ApiKey,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="usage",
        db_index=False,
    )
    provider = models.CharField(max_length=100, blank=True, default="")
    model = models.CharField(max_length=200, blank=True, default="")
    purpose = models.CharField(max_length=50, default="chat")
    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    cache_read_tokens = models.PositiveBigIntegerField(default=0)
    cache_write_tokens = models.PositiveBigIntegerField(default=0)
    reasoning_tokens = models.PositiveBigIntegerField(default=0)
    cache_write_1h_tokens = models.PositiveBigIntegerField(
        default=0, help_text="Of the cache write tokens, those written for an hour"
    )
    cost_nanos = models.BigIntegerField(
        null=True, blank=True, help_text="Billionths of a US dollar; null is unknown"
    )
    cost_source = models.CharField(
        max_length=10, choices=CostSource, blank=True, default=""
    )
    computed_nanos = models.BigIntegerField(
        null=True, blank=True, help_text="What our price list says; null is unknown"
    )
    price_snapshot = models.TextField(
        blank=True, default="", help_text="JSON: the rates that were computed with"
    )
    latency_ms = models.PositiveBigIntegerField(null=True, blank=True)
    response_id = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001 (null: not given, and not unique)
    raw = models.TextField(blank=True, default="", help_text="JSON, as received")
    created_at = TimeField(default=now, editable=False)

    class Meta:
        verbose_name_plural = "usage"
        constraints = [
            models.UniqueConstraint(
                "session", "response_id", name="usage_response_counted_once"
            )
        ]
        indexes = [
            models.Index(fields=["agent", "created_at"], name="usage_by_agent"),
            models.Index(fields=["created_at"], name="usage_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.model or 'unknown model'} {self.id}"
