from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils.timezone import now

from sessions_app.models.agents import Agent, ApiKey
from sessions_app.models.fields import TimeField
from sessions_app.models.sessions import Session


class Budget(models.Model):
    """
    A limit on what is spent in a period: by an agent, in a session and those below it,
    through a key, or, where none of them is named, by everybody.

    A hard one refuses further turns when it is used up; each warns before.
    """

    class Period(models.TextChoices):
        TOTAL = "total"
        MONTH = "month"
        DAY = "day"

    class State(models.TextChoices):
        OK = "ok"
        WARNING = "warning"
        OVER = "over"

    name = models.CharField(max_length=200, blank=True, default="")
    note = models.TextField(blank=True, default="")
    agent = models.ForeignKey(
        Agent, models.CASCADE, null=True, blank=True, related_name="budgets"
    )
    session = models.ForeignKey(
        Session, models.CASCADE, null=True, blank=True, related_name="budgets"
    )
    key = models.ForeignKey(
        ApiKey, models.CASCADE, null=True, blank=True, related_name="budgets"
    )
    period = models.CharField(
        max_length=10, choices=Period, default=Period.MONTH, help_text="Of UTC"
    )
    limit_nanos = models.BigIntegerField(help_text="Billionths of a US dollar")
    hard = models.BooleanField(
        default=False, help_text="Refuse turns when it is used up"
    )
    warn_at = models.PositiveSmallIntegerField(
        default=80, help_text="Per cent of the limit"
    )
    active = models.BooleanField(default=True)
    # The last event that was told of, so that each is told of once in a period.
    told_day = models.PositiveIntegerField(
        null=True, editable=False, help_text="First day of that period, since 1970"
    )
    told_state = models.CharField(
        max_length=10, choices=State, default=State.OK, editable=False
    )
    created_at = TimeField(default=now, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="budget_covers_one_thing",
                condition=Q(agent=None, session=None)
                | Q(agent=None, key=None)
                | Q(session=None, key=None),
            ),
            models.CheckConstraint(
                name="budget_has_a_limit", condition=Q(limit_nanos__gt=0)
            ),
            models.CheckConstraint(
                name="budget_warns_in_time", condition=Q(warn_at__range=(1, 100))
            ),
            models.UniqueConstraint(
                Coalesce(F("agent"), 0),
                Coalesce(F("session"), 0),
                Coalesce(F("key"), 0),
                "period",
                "hard",
                name="budget_once",
            ),
        ]
        indexes = [
            models.Index(
                fields=["id"],
                name="budget_of_everything",
                condition=Q(agent=None, session=None, key=None),
            )
        ]

    def __str__(self) -> str:
        return self.name or f"budget {self.id}"
