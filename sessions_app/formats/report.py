"""What was repaired and what was left out: one entry a kind, however often."""

from __future__ import annotations

from typing import Any

# What a caller is shown beside a kind. The first are repairs, the others are losses
# of a conversion that needed no repair.
REPAIRS = {
    "orphan_call": "Tool calls had no result; each got one that says so",
    "orphan_call_dropped": "Provider-run calls had no result; they were left out",
    "orphan_result": "Tool results had no call; they were left out",
    "duplicate_result": "Calls had several results; the last one was kept",
    "moved_result": "Tool results were not behind their call; they were moved there",
    "repeated_call_id": "Several calls had the same id; the later ones were renamed",
    "input_not_object": "Tool inputs that are no JSON object were wrapped in one",
    "empty_text": "Texts without a visible character were left out",
    "empty_message": "Messages without content were left out",
    "merged": "Neighbouring messages of one role were joined",
    "first_message": "The conversation began with the assistant; a user message was put first",
    "system_moved": "System messages at the beginning were added to the system prompt",
    "system_as_user": "System messages inside the conversation became user messages",
    "unknown_role": "Messages of an unknown role became user messages",
    "unfinished": "Parts whose stream had not ended were left out",
    "dangling_reasoning": "Reasoning that nothing follows was left out",
    "surrogate": "Half surrogates, which no JSON can carry, became U+FFFD",
    "trailing_whitespace": "White space at the end of the last message was cut off",
    "malformed": "Parts without what their type needs were left out",
}
DROPPED = {
    "reasoning": "Reasoning that only its own provider can read was left out",
    "part": "Parts that this dialect has no place for were left out",
    "file": "Files that this dialect cannot take became a line of text",
}


# Of a thousand orphans, so many are named.
MOST_LISTED = 50


class Report:
    """Collects what happens to a conversation while it is rendered."""

    def __init__(self, ids: list[Any]) -> None:
        self.ids = ids
        self.details: dict[str, dict[str, Any]] = {}
        # The places of messages that can no longer be given back as they were sent.
        self.touched: set[int] = set()

    def note(self, kind: str, origin: int, **detail: Any) -> None:
        """Count a repair; the message is then printed anew."""
        self.touched.add(origin)
        self.drop(kind, origin, **detail)

    def drop(self, kind: str, origin: int, **detail: Any) -> None:
        """Count a loss. Of each detail the first values are listed, each once."""
        found = self.details.setdefault(kind, {"count": 0, "messages": []})
        found["count"] += 1
        if origin >= 0:
            detail["messages"] = self.ids[origin]
        for name, value in detail.items():
            values = found.setdefault(name, [])
            if len(values) < MOST_LISTED and value is not None and value not in values:
                values.append(value)

    def entries(self, texts: dict[str, str]) -> list[dict[str, Any]]:
        return [
            {"kind": kind, "message": texts[kind], "detail": detail}
            for kind, detail in self.details.items()
            if kind in texts
        ]
