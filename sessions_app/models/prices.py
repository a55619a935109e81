from __future__ import annotations

from django.db import models
from django.utils.timezone import now

from sessions_app.models.fields import EPOCH, TimeField


class Price(models.Model):
    """
    What a model costs from a moment on, in billionths of a dollar a million tokens.

    Of the prices that match a call the operator's come before the list's, then the
    longest name, then the newest. A cache rate that is null is as ``input``, a null
    ``cache_write_1h`` as ``cache_write``, a null ``reasoning`` as ``output``; without
    ``input`` or ``output`` a call that used such tokens has no known cost.
    """

    class Match(models.TextChoices):
        EXACT = "exact"
        PREFIX = "prefix"

    class Source(models.TextChoices):
        LIST = "list"
        OPERATOR = "operator"

    class Convention(models.TextChoices):
        """How the tokens of a row are to be read: see sessions_app.pricing."""

        DISJOINT = "disjoint"
        INCLUSIVE = "inclusive"
        EXCLUSIVE = "exclusive"
        ADDITIVE = "additive"

    provider = models.CharField(
        max_length=100, blank=True, default="", help_text="Empty: any provider"
    )
    model = models.CharField(
        max_length=200, help_text="The name, or what it begins with"
    )
    match = models.CharField(max_length=10, choices=Match, default=Match.EXACT)
    source = models.CharField(max_length=10, choices=Source, default=Source.OPERATOR)
    valid_from = TimeField(default=EPOCH)
    convention = models.CharField(
        max_length=10, choices=Convention, default=Convention.DISJOINT
    )
    input = models.PositiveBigIntegerField(null=True, blank=True)
    output = models.PositiveBigIntegerField(null=True, blank=True)
    cache_read = models.PositiveBigIntegerField(null=True, blank=True)
    cache_write = models.PositiveBigIntegerField(null=True, blank=True)
    cache_write_1h = models.PositiveBigIntegerField(null=True, blank=True)
    reasoning = models.PositiveBigIntegerField(null=True, blank=True)
    tiers = models.JSONField(
        default=list,
        blank=True,
        help_text='[{"above": 200000, "input": ...}]: the rates of a whole call whose '
        "prompt is longer",
    )
    updated_at = TimeField(default=now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "provider",
                "model",
                "match",
                "source",
                "valid_from",
                name="price_once_from_a_moment",
            )
        ]
        indexes = [models.Index(fields=["updated_at"], name="price_changed")]

    def __str__(self) -> str:
        return "/".join(filter(None, (self.provider, self.model)))
