from __future__ import annotations

from django.db import models
from django.utils.timezone import now

from context_app.models.blocks import Block
from sessions_app.models.fields import TimeField


class Entry(models.Model):
    """One document of a skill block, or one note of a search block, by its key."""

    block = models.ForeignKey(
        Block, models.CASCADE, related_name="entries", db_index=False
    )
    key = models.CharField(max_length=200)
    description = models.TextField(blank=True, default="")
    content = models.TextField(blank=True, default="")
    tokens = models.PositiveBigIntegerField(default=0, editable=False)
    findings = models.JSONField(default=list, editable=False)
    version = models.PositiveIntegerField(default=1, editable=False)
    created_at = TimeField(default=now, editable=False)
    updated_at = TimeField(default=now, editable=False)

    class Meta:
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint("block", "key", name="entry_key_per_block"),
            models.CheckConstraint(
                name="entry_key_is_not_empty", condition=~models.Q(key="")
            ),
        ]

    def __str__(self) -> str:
        return self.key
