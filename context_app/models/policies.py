from __future__ import annotations

from django.db import models

from sessions_app.models import Agent


class AgentPolicy(models.Model):
    """
    How an agent's memory is written and shown. An agent without a row has the defaults.
    """

    class Scan(models.TextChoices):
        OFF = "off"
        FLAG = "flag"
        QUARANTINE = "quarantine"

    agent = models.OneToOneField(Agent, models.CASCADE, related_name="policy")
    scan = models.CharField(
        max_length=10,
        choices=Scan,
        default=Scan.FLAG,
        help_text="What happens to a write that looks like prompt injection",
    )
    usage_in_headers = models.BooleanField(
        default=True, help_text="Without it, prompts change less and are cached longer"
    )
    session_search = models.BooleanField(
        default=False, help_text="Offer models the tool that searches all sessions"
    )

    strategy = models.CharField(
        max_length=30,
        default="simple",
        help_text="How much of a history a context shows, where a request does not say",
    )
    strategy_size = models.PositiveIntegerField(
        null=True, blank=True, help_text="Messages or tokens, as the strategy counts"
    )

    class Meta:
        verbose_name_plural = "agent policies"

    def __str__(self) -> str:
        return f"Policy of {self.agent}"
