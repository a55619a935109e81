"""From the entries of a Pi session to a conversation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from sessions_app.errors import Invalid
from sessions_app.messages import preview
from sessions_app.services.importing.conversations import (
    Conversation,
    ImportedCompaction,
    ImportedMessage,
    Line,
    Problem,
)
from sessions_app.services.importing.ordering import parents_first
from sessions_app.services.importing.pi_messages import is_message, read_message_entry
from sessions_app.services.importing.plain import (
    read_metadata,
    read_text,
    read_time,
    without_nul,
)

SETTINGS = ("thinking_level_change", "model_change")


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a session, parsed and as text."""

    uid: str
    parent: str | None
    kind: str
    parsed: dict[str, Any]
    line: Line

    @property
    def created_at(self) -> int | None:
        return read_time(self.parsed.get("timestamp"))


@dataclass(slots=True)
class Tree:
    """
    The entries of a session on their way to a conversation.

    ``above`` is the nearest message at or above each entry, ``roots`` the first message
    of its path, and ``bridged`` the entries between it and that nearest message.
    """

    header: dict[str, Any]
    entries: dict[str, Entry]
    places: list[str | None]
    problems: list[Problem] = field(default_factory=list)
    parents: dict[str, str | None] = field(default_factory=dict)
    messages: dict[str, ImportedMessage] = field(default_factory=dict)
    above: dict[str | None, str | None] = field(default_factory=lambda: {None: None})
    roots: dict[str | None, str] = field(default_factory=dict)
    bridged: dict[str | None, list[str]] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)

    def read(self, source_id: str, line: int) -> Conversation:
        self.parents = {uid: entry.parent for uid, entry in self.entries.items()}
        for uid in [*parents_first(self.parents, self.complain)]:
            self.place(self.entries[uid], self.parents[uid])
        kinds = [entry.kind for entry in self.entries.values()]
        times = [
            self.header.get("timestamp"),
            *(e.created_at for e in self.entries.values()),
        ]
        return Conversation(
            source_id=source_id,
            source="pi",
            name=self.name(),
            messages=[*self.messages.values()],
            head=self.above.get(next(reversed(self.entries), None)),
            line=line,
            model=self.model(),
            created_at=min(filter(None, map(read_time, times)), default=None),
            metadata=self.metadata(line),
            compactions=self.compactions(),
            labels=self.labels(),
            settings=sum(1 for kind in kinds if kind in SETTINGS),
        )

    def complain(self, uid: str, reason: str) -> None:
        self.problems.append(Problem(self.entries[uid].line.number, f"{uid}: {reason}"))

    def place(self, entry: Entry, parent: str | None) -> None:
        """Make an entry a message below the nearest one above, or a bridge to it."""
        between = self.bridged.get(parent, [])
        self.above[entry.uid] = above = self.above[parent]
        if above in self.roots:
            self.roots[entry.uid] = self.roots[above]
        if not is_message(entry.kind, entry.parsed):
            self.bridged[entry.uid] = [*between, entry.uid]
            return
        before = [uid for uid in between if uid not in self.kept]
        texts = [msgspec.Raw(self.entries[uid].line.text.strip()) for uid in before]
        try:
            draft, usage, doubts = read_message_entry(
                entry.uid, entry.parsed, entry.line.text, entry.created_at, texts
            )
        except Invalid as exc:
            self.complain(entry.uid, exc.message)
            self.bridged[entry.uid] = between
            return
        for doubt in doubts:
            self.complain(entry.uid, doubt)
        self.kept.update(before)
        self.messages[entry.uid] = ImportedMessage(
            draft, above, entry.line.number, usage
        )
        self.above[entry.uid] = entry.uid
        self.roots.setdefault(entry.uid, entry.uid)

    def name(self) -> str:
        named = [
            e.parsed.get("name")
            for e in self.entries.values()
            if e.kind == "session_info"
        ]
        texts = (m.draft.text for m in self.messages.values() if m.draft.role == "user")
        given = read_text(named[-1], 500) if named else ""
        return given or without_nul(preview(next(filter(str.strip, texts), "")))

    def model(self) -> str:
        """Return the model that the session ended with."""
        models = [self.header.get("modelId")]
        for entry in self.entries.values():
            if entry.kind == "model_change":
                models.append(entry.parsed.get("modelId"))
            elif isinstance(message := entry.parsed.get("message"), dict):
                models.append(message.get("model"))
        return next(filter(None, (read_text(m, 200) for m in reversed(models))), "")

    def metadata(self, line: int) -> dict[str, Any]:
        rest = [
            entry.parsed
            for uid, entry in self.entries.items()
            if uid not in self.kept and not is_message(entry.kind, entry.parsed)
        ]
        try:
            found: dict[str, Any] = read_metadata(
                {"pi": {**self.header, **({"entries": rest} if rest else {})}}
            )
        except Invalid as exc:
            self.problems.append(Problem(line, exc.message))
            return {}
        return found

    def labels(self) -> dict[str, str]:
        """Return the last label that each message got, unless it was taken away."""
        found: dict[str, str] = {}
        for entry in self.entries.values():
            if entry.kind == "label":
                target = entry.parsed.get("targetId")
                above = self.above.get(target) if isinstance(target, str) else None
                if above is None:
                    self.complain(entry.uid, f"labels what is not there: {target}")
                else:
                    found[above] = read_text(entry.parsed.get("label"), 200)
        return {uid: text for uid, text in found.items() if text}

    def compactions(self) -> list[ImportedCompaction]:
        found = []
        for entry in self.entries.values():
            if entry.kind == "compaction":
                try:
                    found.append(self.compaction(entry))
                except Invalid as exc:
                    self.complain(entry.uid, exc.message)
        return found

    def compaction(self, entry: Entry) -> ImportedCompaction:
        """
        :raises Invalid: if it has no summary, or hides nothing
        """
        summary = entry.parsed.get("summary")
        if not isinstance(summary, str):
            raise Invalid("a compaction needs a summary")
        last = self.last_hidden(entry)
        if last is None:
            raise Invalid("the compaction hides nothing")
        return ImportedCompaction(
            uid=entry.uid,
            first=self.roots[last],
            last=last,
            summary=without_nul(summary),
            created_at=entry.created_at,
            line=entry.line.number,
        )

    def last_hidden(self, entry: Entry) -> str | None:
        """Return the last message before the first that is kept; by default all are hidden."""
        kept = entry.parsed.get("firstKeptEntryId")
        place = entry.parsed.get("firstKeptEntryIndex")
        if kept is None and isinstance(place, int):
            if place < len(self.places):
                kept = self.places[max(place, 0)]
            if kept is None:
                return None if place <= 0 else self.above[entry.uid]
        at = self.parents[entry.uid]
        while at is not None and at != kept:
            at = self.parents[at]
        return self.above[entry.uid if at is None else self.parents[at]]
