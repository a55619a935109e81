from __future__ import annotations

from django.db import models
from django.utils.timezone import now

from sessions_app.models.fields import TimeField


class Agent(models.Model):
    """Whose memory it is: everything else belongs to an agent."""

    DEFAULT = "default"

    name = models.CharField(max_length=200, unique=True)
    description = models.TextField(blank=True, default="")
    compact_after = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Tokens above which a session is compacted"
    )
    metadata = models.JSONField(default=dict, blank=True)
    created_at = TimeField(default=now, editable=False)

    def __str__(self) -> str:
        return self.name


class ApiKey(models.Model):
    """
    A key to the API, of which only a digest is kept.

    Without an agent it opens all agents' data.
    """

    class Scope(models.TextChoices):
        READ = "read"
        WRITE = "write"
        ADMIN = "admin"

    agent = models.ForeignKey(
        Agent, models.CASCADE, null=True, blank=True, related_name="keys"
    )
    name = models.CharField(max_length=200, blank=True, default="")
    prefix = models.CharField(max_length=20, unique=True, editable=False)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    scope = models.CharField(max_length=10, choices=Scope, default=Scope.WRITE)
    expires_at = TimeField(null=True, blank=True)
    revoked_at = TimeField(null=True, blank=True)
    last_used_at = TimeField(null=True, blank=True, editable=False)
    created_at = TimeField(default=now, editable=False)

    class Meta:
        verbose_name = "API key"
        constraints = [
            models.CheckConstraint(
                name="api_key_for_all_agents_is_admin",
                condition=models.Q(agent__isnull=False) | models.Q(scope="admin"),
            )
        ]

    def __str__(self) -> str:
        return self.prefix
