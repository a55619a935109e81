from __future__ import annotations

from django.db import models

from sessions_app.models.sessions import Session


class SearchDocument(models.Model):
    """
    The text of a message (or of another thing of a kind) as search sees it.

    Its index is made by hand in 0002_search_index: a migration that remakes this
    table on SQLite drops the triggers, and must make them again.
    """

    class Kind(models.TextChoices):
        MESSAGE = "message"
        ENTRY = "entry"

    kind = models.CharField(max_length=10, choices=Kind, default=Kind.MESSAGE)
    ref = models.BigIntegerField(help_text="Primary key of what it is the text of")
    session = models.ForeignKey(
        Session, models.DO_NOTHING, null=True, related_name="search_documents"
    )
    text = models.TextField()
    cjk = models.BooleanField(default=False, help_text="Needs the trigram index")

    class Meta:
        constraints = [
            models.UniqueConstraint("kind", "ref", name="search_document_per_ref")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.ref}"
