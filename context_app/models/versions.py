from __future__ import annotations

from django.db import models
from django.utils.timezone import now

from context_app.models.blocks import Block
from sessions_app.models.fields import TimeField


class Version(models.Model):
    """
    What one write made of a block, or of the entry of a key: never changed.

    An entry's rows outlive it, so that it can be had back.
    """

    block = models.ForeignKey(
        Block, models.CASCADE, related_name="versions", db_index=False
    )
    key = models.CharField(
        max_length=200, blank=True, default="", help_text="Empty: of the block itself"
    )
    version = models.PositiveIntegerField()
    description = models.TextField(blank=True, default="")
    content = models.TextField(blank=True, default="")
    deleted = models.BooleanField(default=False, help_text="The entry went with it")
    findings = models.JSONField(default=list)
    author = models.CharField(max_length=300)
    created_at = TimeField(default=now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint("block", "key", "version", name="version_once")
        ]

    def __str__(self) -> str:
        return f"{self.key or self.block} v{self.version}"
