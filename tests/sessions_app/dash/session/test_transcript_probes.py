from __future__ import annotations

import orjson
import pytest
from django.test import Client

from sessions_app.messages import read_message
from sessions_app.models import Session
from sessions_app.services.compaction.overlays import add_compaction
from sessions_app.services.registry.sessions import update_session
from sessions_app.services.writing.appending import append_messages
from sessions_app.services.writing.editing import set_label
from tests.sessions_app.dash.probes import PROBES
from tests.sessions_app.dash.rendering.test_markdown import look_at

OURS = {
    "a", "article", "aside", "b", "blockquote", "body", "button", "caption", "circle",
    "code", "dd", "defs", "del", "details", "dialog", "div", "dl", "dt", "em", "fieldset",
    "form", "g", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "img",
    "input", "ins", "kbd", "label", "legend", "li", "link", "main", "meta", "nav",
    "noscript", "ol", "option", "p", "path", "pre", "rect", "s", "script", "section",
    "select", "span", "strong", "summary", "svg", "symbol", "table", "tbody", "td",
    "template", "textarea", "th", "thead", "time", "title", "tr", "ul", "use",
}  # fmt: skip


def parts(probe: str) -> list[dict[str, object]]:
    """Return a part of every kind with a probe in every place."""
    call = {"toolCallId": "c", "toolName": probe, "state": "input-available"}
    return [
        {"type": "text", "text": probe},
        {"type": "reasoning", "text": probe},
        {"type": "tool-x", **call, "input": {"command": probe}},
        {"type": "tool-y", "toolCallId": "d", "input": {probe: probe}, "output": probe},
        {"type": "tool-edit", "toolCallId": "e", "state": "output-error",
         "errorText": probe, "input": {"path": probe, "old": "x", "new": probe}},
        {"type": "file", "mediaType": probe, "url": probe, "filename": probe},
        {"type": "file", "mediaType": "image/png", "url": f"data:image/png;base64,{probe}"},
        {"type": f"data-{probe}", "data": {probe: [probe]}},
    ]  # fmt: skip


def fill(session: Session, probe: str) -> str:
    """Put a probe wherever one can write, and return a message's id."""
    name = probe.replace("\n", " ").replace("\t", " ").replace("\u202e", "")
    uid = f"id {name}"[:150]
    drafts = [
        {"id": "first", "role": "user", "content": probe},
        {"id": "covered", "role": "system", "content": probe},
        {"id": uid, "role": "assistant", "parts": parts(probe),
         "metadata": {"stopReason": "error", "errorMessage": probe}},
        {"role": name[:90], "parts": parts(probe)},
        {"role": "tool", "parts": [{"type": "tool-x", "toolCallId": "c", "output": probe}]},
    ]  # fmt: skip
    append_messages(
        session_id=session.id,
        drafts=[read_message(orjson.dumps(each), "m") for each in drafts],
    )
    append_messages(
        session_id=session.id,
        drafts=[read_message(orjson.dumps({"role": "user", "content": probe}), "m")],
        parent=uid,
    )
    session.refresh_from_db()
    update_session(session=session, name=name, model=name, source=name)
    set_label(session=session, uid=uid, text=name)
    add_compaction(
        session=session,
        first="first",
        last="covered",
        summary=probe,
        method=name[:50],
        model=name,
    )
    return uid


@pytest.mark.parametrize("probe", PROBES)
def test_no_probe_becomes_an_element_or_an_attribute(
    operator: Client, session: Session, probe: str
) -> None:
    uid = fill(session, probe)
    place = f"/sessions/{session.pk}"

    pages: list[tuple[str, dict[str, str]]] = [
        (place, {}),
        (place, {"msg": uid}),
        (place, {"msg": "first"}),
        (f"{place}/message", {"msg": uid}),
        (f"{place}/label", {"msg": uid}),
        (f"{place}/edit", {"msg": uid}),
        (f"{place}/edit", {"msg": uid, "as": "json"}),
        (f"{place}/delete", {"msg": uid}),
        (f"{place}/fork", {"at": uid}),
    ]
    for part in "01234":
        pages.append((f"{place}/part", {"msg": uid, "part": part, "side": "got"}))
    for path, query in pages:
        response = operator.get(path, query)
        assert response.status_code == 200, (path, query)
        check(response.content.decode())


def check(html: str) -> None:
    seen = look_at(html)
    unknown = seen.tags - OURS
    assert not unknown
    for name, value in seen.attributes:
        assert not name.startswith(("on", "hx-on"))
        assert name != "style"
        if name in ("href", "src", "action", "hx-get", "hx-post"):
            # Our own are relative; those of texts have been looked at.
            assert (
                not (value or "")
                .strip()
                .lower()
                .startswith(("javascript:", "vbscript:", "file:", "data:text"))
            )
        if name == "src":
            assert (value or "").startswith(("/static/", "data:image/png;base64,"))
