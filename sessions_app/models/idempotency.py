from __future__ import annotations

from django.db import models
from django.utils.timezone import now

from sessions_app.models.agents import ApiKey
from sessions_app.models.fields import TimeField


class IdempotencyRecord(models.Model):
    """The first answer to a request that carried an Idempotency-Key."""

    api_key = models.ForeignKey(ApiKey, models.CASCADE, db_index=False)
    key = models.CharField(max_length=200)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the request")
    status = models.PositiveSmallIntegerField(default=0)
    content = models.TextField(default="")
    created_at = TimeField(default=now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint("api_key", "key", name="idempotency_key_once")
        ]
        indexes = [models.Index(fields=["created_at"], name="idempotency_by_age")]

    def __str__(self) -> str:
        return self.key
