"""The context of a session, a turn, and conversations in every dialect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.urls import resolve
from ninja import NinjaAPI

from benchmarks.conversations import Conversation
from benchmarks.databases import Shelf, session_of, using
from benchmarks.measuring import interleave, micros, print_table, verdict
from context_app.authors import SYSTEM
from context_app.services.creating import create_block
from sessions_app.formats import FORMATS, get_format
from sessions_app.messages import parse_body, read_message
from sessions_app.models import Message, Session
from sessions_app.services.appending import append_messages
from sessions_app.services.compactions import add_compaction
from sessions_app.services.keys import create_key
from sessions_app.services.turns import Spent, add_turn
from sessions_app.services.usage import Tokens

VISIBLE = 50
BLOCKS = 4
MOST_CONTEXT, MOST_TURN = 2, 1.5
MOST_RENDER = 0.025

Work = Callable[[], object]


def run(shelf: Shelf) -> None:
    calls = 100 if shelf.quick else 500
    with using(shelf.large()):
        sizes = (shelf.large_sizes[0], shelf.large_sizes[-1])
        sessions = [prepared(session_of(size)) for size in sizes]
        headers = {
            "authorization": f"Bearer {create_key(agent=None, scope='admin')[1]}"
        }
        asks = [asking(session, headers) for session in sessions]
        names = [f"{VISIBLE} visible of {size:,}" for size in sizes]
        sides = {"bare": bare(asks[0]().content), **dict(zip(names, asks, strict=True))}
        timings = interleave(sides, calls=calls)
        floor = timings["bare"].median
        rows = [
            [name, micros(each.median), verdict(each.median, floor, MOST_CONTEXT)]
            for name, each in timings.items()
        ]
        print_table(
            "GET /context, and a bare endpoint that returns its bytes",
            ("", "median us", "ratio"),
            rows,
        )
        turns(sessions[0], calls)
    rendering()


def prepared(session: Session) -> Session:
    """Give a session blocks, and a summary over all but its newest messages."""
    for number in range(BLOCKS):
        create_block(
            owner=session,
            label=f"block{number}",
            kind="writable",
            content="A fact about the user. " * 20,
            max_tokens=1000,
            author=SYSTEM,
        )
    path = Message.objects.filter(session=session).order_by("depth")
    first, last = path[0].uid, path[path.count() - VISIBLE].uid
    add_compaction(
        session=session, first=first, last=last, summary="It was long. " * 50
    )
    return Session.objects.get(id=session.id)


def asking(session: Session, headers: dict[str, str]) -> Callable[[], Any]:
    path = f"/api/v1/sessions/{session.key}/context"
    match = resolve(path)
    factory = RequestFactory(headers=headers)
    query = {"format": "openai-chat"}
    return lambda: match.func(factory.get(path, query), **match.kwargs)


def bare(content: bytes) -> Work:
    """Return a call of an endpoint that does nothing but answer."""
    api = NinjaAPI(urls_namespace="bare")

    @api.get("/bytes")
    def read(request: HttpRequest) -> HttpResponse:
        return HttpResponse(content, content_type="application/json")

    (view,) = (each.callback for each in api.urls[0] if str(each.pattern) == "bytes")
    assert view
    factory = RequestFactory(headers={"authorization": "Bearer x"})
    return lambda: view(factory.get("/bytes"))


def turns(session: Session, calls: int) -> None:
    raws = iter(Conversation(seed=7).raws(calls * 40))
    spent = Spent(
        tokens=Tokens(100, 20, 300),
        cost=None,
        response_id=None,
        message=None,
        details={"model": "m", "provider": "openai"},
    )

    def draft() -> Any:
        return read_message(next(raws), "message")

    sides: dict[str, Work] = {
        "an append": lambda: append_messages(session_id=session.id, drafts=[draft()]),
        "a turn of 4 with usage": lambda: add_turn(
            session=session, drafts=[draft() for _ in range(4)], spent=spent
        ),
    }
    timings = interleave(sides, calls=calls)
    floor = timings["an append"].median
    rows = [
        [name, micros(each.median), verdict(each.median, floor, MOST_TURN)]
        for name, each in timings.items()
    ]
    print_table("A turn (in memory)", ("", "median us", "ratio"), rows)


def rendering() -> None:
    drafts = [
        parse_body(raw) | {"id": f"m{n}"}
        for n, raw in enumerate(Conversation(seed=3).raws(1_000))
    ]
    sides = {name: rendered(name, drafts) for name in FORMATS}
    timings = interleave(sides, calls=20)
    rows = [
        [name, micros(each.median), verdict(each.median, 1, MOST_RENDER)]
        for name, each in timings.items()
    ]
    print_table("1,000 messages in a dialect", ("", "median us", "seconds"), rows)


def rendered(name: str, messages: list[dict[str, Any]]) -> Work:
    return lambda: get_format(name).render(messages, "You are kind.")
