from __future__ import annotations

from django.db import models
from django.utils.timezone import now

from sessions_app.models import Agent, Session
from sessions_app.models.fields import TimeField


class DeletedBlock(models.Model):
    """
    A block that a person deleted, with all its rows, to be had back for some time.

    It goes with its session or agent, as the block would have.
    """

    session = models.ForeignKey(
        Session, models.CASCADE, null=True, related_name="deleted_blocks"
    )
    agent = models.ForeignKey(
        Agent, models.CASCADE, null=True, related_name="deleted_blocks"
    )
    label = models.CharField(max_length=200)
    rows = models.TextField(
        help_text="The block, its entries, versions and held writes"
    )
    author = models.CharField(max_length=300)
    created_at = TimeField(default=now, editable=False)

    def __str__(self) -> str:
        return self.label
