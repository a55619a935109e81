"""What of a session can be written in the admin, and how its page is laid out."""

from __future__ import annotations

from typing import Any

from django import forms

from sessions_app.admin.forms import MetadataForm
from sessions_app.models import Session

NAMES = ("agent", "key", "name", "kind", "model", "source")
MADE_WITH = (*NAMES, "compact_after", "metadata")
STATE = ("archived", "end_reason", "expires_at", "compact_after", "metadata")
BUCKETS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
SUMS = (*BUCKETS, "reasoning_tokens", "unpriced")
CAPS = ("ephemeral", "kv_cap", "transcript_cap")

FIELDSETS: Any = (
    (None, {"fields": NAMES}),
    ("Messages", {"fields": ("rows", "message_count", "head_link", "context_tokens")}),
    ("Origin", {"fields": ("parent_link", "fork_point_link", "children_link")}),
    ("State", {"fields": STATE}),
    ("Spend", {"fields": ("cost", *SUMS)}),
    ("Limits and times", {"fields": (*CAPS, "created_at", "updated_at")}),
)


class SessionForm(MetadataForm[Session]):
    # That of an expired session may be used again.
    unchecked = frozenset({"key"})

    archived = forms.BooleanField(required=False)

    class Meta:
        model = Session
        fields = (*MADE_WITH, "end_reason", "expires_at")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["archived"] = self.instance.archived_at is not None
        if "key" in self.fields:
            self.fields["key"].required = False
            self.fields["key"].help_text = "Left empty, it gets one"
