"""A message in memory, and what a reader is given of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memoryhub.facade.storage import CompactionInfo, Stored
from sessions_app.messages import Draft, parse_body, summary_message, summary_tokens


@dataclass(slots=True, eq=False)
class Node:
    uid: str
    parent: str | None
    draft: Draft
    created_at: datetime


def message_of(node: Node) -> Stored:
    return parse_body(node.draft.body)


def summary_of(compaction: CompactionInfo, covered: Sequence[Node]) -> Stored:
    """Return the message that stands for what a compaction covers."""
    return summary_message(
        uid=compaction["id"],
        summary=compaction["summary"],
        created_at=compaction["created_at"],
        compaction={
            "id": compaction["id"],
            "from": covered[0].uid,
            "to": covered[-1].uid,
            "count": len(covered),
            "tokens_before": sum(node.draft.tokens for node in covered),
            "tokens_after": summary_tokens(compaction["summary"]),
        },
    )
