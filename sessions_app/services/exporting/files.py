"""A session as a file to take away, in one of several formats."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sessions_app.formats import FORMATS, get_format
from sessions_app.messages import parse_body, print_json
from sessions_app.models import Session
from sessions_app.services.browsing.transcripts import markdown
from sessions_app.services.exporting import export_session
from sessions_app.services.forest.history import read_history
from sessions_app.services.importing.memoryhub_lines import NAME

MARKDOWN = "markdown"
UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


class Export(NamedTuple):
    chunks: Iterator[bytes]
    content_type: str
    filename: str


def formats() -> dict[str, str]:
    """Return the formats that there are, with what each is."""
    return {
        NAME: "Everything, to be imported again (JSON lines)",
        MARKDOWN: "The path as a text to read (Markdown)",
        **{name: f"The path for {each.title} (JSON)" for name, each in FORMATS.items()},
    }


def export_as(
    session: Session, format_name: str = NAME, leaf: str | None = None
) -> Export:
    """
    Return a session in a format. But for our own, it is the path to ``leaf``.

    :raises UnknownFormat: if there is no such format
    :raises NotFound: if the session sees no message ``leaf``
    """
    stem = UNSAFE.sub("-", session.key).strip("-.")[:80] or "session"
    if format_name == NAME:
        lines = export_session(session)
        return Export(lines, "application/x-ndjson", f"{stem}.jsonl")
    if format_name == MARKDOWN:
        text = "".join(markdown(session, leaf)).encode()
        return Export(iter([text]), "text/markdown; charset=utf-8", f"{stem}.md")
    dialect = get_format(format_name)
    history = read_history(session, leaf=leaf)
    rendered = dialect.render([parse_body(body) for body in history.bodies], None)
    content = print_json(
        {
            "format": format_name,
            "session": session.key,
            "leaf": history.leaf,
            "system": rendered.system,
            "messages": rendered.messages,
            "repairs": rendered.repairs,
            "dropped": rendered.dropped,
        }
    )
    return Export(iter([content]), "application/json", f"{stem}.{format_name}.json")
