"""Versions as a person reads them: what each changed, and the call that made it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

import orjson

from context_app.changes import in_words
from context_app.loading import tool_name
from context_app.models import Block, Version
from context_app.services.versions import versions_of
from sessions_app.models import Message, Session
from sessions_app.tokens import is_tool, text_tokens

TOOL = "set_context"
# Messages that are looked through for the calls behind a page of versions.
MOST_MESSAGES = 200
# A message may be noted with a time of its host's clock.
SLACK = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Change:
    """A version, and what it made of the one before (None: there is none)."""

    version: Version
    before: Version | None

    @property
    def tokens(self) -> int:
        """Return how many tokens more there are; less than none for fewer."""
        before = text_tokens(self.before.content) if self.before else 0
        return text_tokens(self.version.content) - before

    @property
    def words(self) -> str:
        if self.version.deleted:
            return "Deleted"
        before = self.before
        if before is None:
            return in_words(None, self.version.content)
        if before.deleted:
            return "Written again"
        described = before.description != self.version.description
        if before.content != self.version.content:
            text = in_words(before.content, self.version.content)
            return f"{text}, and the description" if described else text
        return "Description changed" if described else "Nothing changed"


class Call(NamedTuple):
    """The message in which a model asked for a write."""

    uid: str
    number: int


def page_of_changes(
    block: Block, key: str = "", *, below: int | None = None, limit: int
) -> tuple[list[Change], int | None]:
    """
    Return changes, the newest first, and the number below which the next page begins.
    """
    versions = versions_of(block, key).order_by("-version")
    if below is not None:
        versions = versions.filter(version__lt=below)
    found: list[Version | None] = list(versions[: limit + 1])
    shown = found[:limit]
    before = [*found[1 : limit + 1], None][: len(shown)]
    changes = [
        Change(version, older)
        for version, older in zip(shown, before, strict=True)
        if version
    ]
    more = len(found) > limit and changes
    return changes, changes[-1].version.version if more else None


def calls_of(
    session: Session, block: Block, versions: Sequence[Version]
) -> dict[int, Call]:
    """
    Return the calls of a session that made versions, by the version's key.

    A call is known by what it wrote: versions are older than the messages that asked
    for them, and do not name them.
    """
    asked = [each for each in versions if each.author.startswith(f"tool {TOOL},")]
    if not asked:
        return {}
    found: dict[int, Call] = {}
    written = list(_writes(_messages(session, asked), block.label))
    for version in sorted(asked, key=lambda each: each.version):
        for number, (call, content) in enumerate(written):
            if version.content.endswith(content):
                found[version.pk] = call
                # The next version was asked for in a later call.
                del written[: number + 1]
                break
    return found


def _messages(session: Session, versions: Sequence[Version]) -> Iterable[Message]:
    times = [version.created_at for version in versions]
    return (
        Message.objects.filter(
            session=session,
            created_at__gte=min(times) - SLACK,
            body__contains=TOOL,
        )
        .order_by("seq")
        .only("uid", "depth", "body")[:MOST_MESSAGES]
    )


def _writes(messages: Iterable[Message], label: str) -> Iterator[tuple[Call, str]]:
    for message in messages:
        for part in _parts(message):
            if not isinstance(part, dict) or not is_tool(str(part.get("type", ""))):
                continue
            given = part.get("input", part.get("args"))
            if tool_name(part) != TOOL or not isinstance(given, dict):
                continue
            content = given.get("content")
            if given.get("label") == label and isinstance(content, str):
                yield Call(message.uid, message.depth + 1), content


def _parts(message: Message) -> list[Any]:
    parts = orjson.loads(message.body).get("parts")
    return parts if isinstance(parts, list) else []
