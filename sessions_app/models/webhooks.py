from __future__ import annotations

from django.db import models
from django.utils.timezone import now

from sessions_app.models.agents import Agent
from sessions_app.models.fields import TimeField


class Webhook(models.Model):
    """
    An address that is told of events: those of an agent, or without one all.

    The secret is kept as it is, since every delivery is signed with it.
    """

    class Event(models.TextChoices):
        BUDGET_WARNING = "budget.warning"
        BUDGET_EXCEEDED = "budget.exceeded"
        COMPACTION_FAILED = "compaction.failed"

    agent = models.ForeignKey(
        Agent, models.CASCADE, null=True, blank=True, related_name="webhooks"
    )
    url = models.CharField(max_length=2000)
    secret = models.CharField(max_length=100, editable=False)
    events = models.JSONField(default=list)
    active = models.BooleanField(default=True)
    created_at = TimeField(default=now, editable=False)

    def __str__(self) -> str:
        return f"webhook {self.id}"


class Delivery(models.Model):
    """An event on its way to a webhook: a row of the outbox."""

    class State(models.TextChoices):
        PENDING = "pending"
        DELIVERED = "delivered"
        FAILED = "failed"

    # The event that an operator sends to see whether a webhook works.
    TEST = "webhook.test"

    webhook = models.ForeignKey(
        Webhook, models.CASCADE, related_name="deliveries", db_index=False
    )
    event = models.CharField(max_length=50)
    payload = models.TextField(help_text="The body that is sent, JSON")
    state = models.CharField(max_length=10, choices=State, default=State.PENDING)
    attempts = models.PositiveIntegerField(default=0)
    next_try_at = TimeField(null=True)
    status = models.PositiveSmallIntegerField(
        null=True, help_text="The last answer's status"
    )
    error = models.CharField(max_length=500, default="")
    created_at = TimeField(default=now)
    delivered_at = TimeField(null=True)

    class Meta:
        verbose_name_plural = "deliveries"
        indexes = [
            models.Index(fields=["webhook", "id"], name="delivery_of_webhook"),
            models.Index(fields=["created_at"], name="delivery_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.id}"
