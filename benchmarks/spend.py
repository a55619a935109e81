"""The spend page's questions to a large ledger, and what usage adds to a turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count

from django.core.management import call_command
from django.db import connection
from django.test import Client as Browser
from django.utils.timezone import now

from benchmarks.conversations import Conversation
from benchmarks.dashboard import measure, settled
from benchmarks.databases import FAST, Shelf, session_of, using
from benchmarks.measuring import interleave, micros, print_table, ratio, verdict
from benchmarks.serving import Client, serving
from sessions_app.messages import read_message
from sessions_app.models import Price, Session, Usage
from sessions_app.models.fields import to_millis
from sessions_app.services.prices import save_price
from sessions_app.services.registry.agents import get_or_create_agent
from sessions_app.services.registry.keys import create_key
from sessions_app.services.spend.usage import Tokens
from sessions_app.services.writing.turns import Spent, add_turn
from sessions_app.sql import ledger

AGENTS, KEYS, CALLS_A_SESSION, DAYS = 20, 2, 50, 90
MODELS = ("claude-sonnet-4-5", "gpt-5", "gpt-5-mini", "gemini-2.5-pro", "unknown-1")
MOST_TURN = 1.2
# Three quarters of the calls have a cost.
FILL = """
WITH RECURSIVE number (n) AS (
    SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n + 1 < %(rows)s
)
INSERT INTO sessions_app_usage (
    agent_id, session_id, key_id, provider, model, purpose, input_tokens,
    output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens,
    cache_write_1h_tokens, cost_nanos, cost_source, computed_nanos, price_snapshot,
    raw, created_at
)
SELECT
    session.agent_id, session.id, %(first_key)s + n %% %(keys)s, 'provider',
    json_extract(%(models)s, '$[' || ((session.id + n %% 2) %% 5) || ']'),
    CASE WHEN n %% 10 = 0 THEN 'compaction' ELSE 'chat' END,
    n %% 3000, n %% 700, n %% 20000, n %% 900, n %% 100, 0,
    CASE WHEN n %% 4 THEN n %% 9000000 END,
    CASE WHEN n %% 4 THEN 'computed' ELSE '' END,
    CASE WHEN n %% 4 THEN n %% 9000000 END, '', '',
    %(start)s + (session.id %% 88) * 86400000 + (n %% 50) * 2000000
FROM number
JOIN sessions_app_session session ON session.id = %(first_session)s + n / 50
"""


def run(shelf: Shelf) -> None:
    rows = 100_000 if shelf.quick else 1_000_000
    with using(shelf.folder() / "memoryhub.sqlite3"):
        fill(rows)
        with settled() as client:
            pages(rows, client)
    calls = 200 if shelf.quick else 1_000
    table = turns(shelf, "in memory", calls, on_disk=False)
    table += turns(shelf, "on disk", calls, on_disk=True)
    print_table("A turn of 4 messages", ("", "median us", "ratio"), table)


def fill(rows: int) -> None:
    """Make a ledger, and its sums as a migration makes them."""
    call_command("migrate", verbosity=0)
    for pragma in FAST:
        connection.connection.execute(pragma)
    agents = [get_or_create_agent(f"agent-{number}") for number in range(AGENTS)]
    keys = [create_key(agent=agents[0])[0] for _ in range(KEYS)]
    sessions = Session.objects.bulk_create(
        Session(agent=agents[number % AGENTS], key=f"s-{number}")
        for number in range(rows // CALLS_A_SESSION)
    )
    values: dict[str, int | str] = {
        "rows": rows,
        "first_key": keys[0].id,
        "keys": KEYS,
        "first_session": sessions[0].id,
        "models": "[" + ",".join(f'"{model}"' for model in MODELS) + "]",
        "start": to_millis(_midnight() - timedelta(days=DAYS - 1)),
    }
    with connection.cursor() as cursor:
        for statement in ledger.dropping("sqlite"):
            cursor.execute(statement)
        cursor.execute(FILL, values)
        for statement in (*ledger.BACKFILL[1:], *ledger.creating("sqlite"), "ANALYZE"):
            cursor.execute(statement)
    assert Usage.objects.count() == rows


def _midnight() -> datetime:
    return now().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


PAGES = {
    "30 days, by model": "/spend",
    "30 days, by kind of token": "/spend?by=kind",
    "90 days, by agent": "/spend?range=90d&by=agent",
    "24 hours, by model": "/spend?range=24h",
    "without imports": "/spend?imports=out",
    "the overview": "/",
}


def pages(rows: int, client: Browser) -> None:
    title = f"Pages on {rows:,} calls in the ledger (target 150 ms)"
    measure(title, client, PAGES, 5)


def turns(shelf: Shelf, place: str, calls: int, *, on_disk: bool) -> list[list[str]]:
    """Time a turn of four messages as a client sends it, and as a service."""
    database = shelf.copy(1_000, on_disk=on_disk)
    with using(database):
        save_price(Price(model="gpt-5", input=1_250_000_000, output=10_000_000_000))
        timings = interleave(in_process(calls), calls=calls, waits=on_disk)
    with serving(database) as server, Client(server) as client:
        sent = interleave(over_http(client, calls), calls=calls, waits=True, warm=20)
    least = sent["without usage"].median
    return [
        *(
            [f"{name}, over HTTP, {place}", micros(each.median),
             verdict(each.median, least, MOST_TURN)]
            for name, each in sent.items()
        ),
        *(
            [f"{name}, in process, {place}", micros(each.median),
             ratio(each.median, timings["without usage"].median)]
            for name, each in timings.items()
        ),
    ]  # fmt: skip


def over_http(client: Client, calls: int) -> dict[str, Callable[[], object]]:
    raws = _raws(calls, seed=8)
    usage = b""","usage":{"model":"gpt-5","provider":"openai","input_tokens":1000,
        "output_tokens":200,"cache_read_tokens":3000,"response_id":"r%d"}"""
    numbers = count()

    def turn(usage: bytes) -> Callable[[], object]:
        def send() -> bytes:
            messages = b",".join(next(raws) for _ in range(4))
            told = usage % next(numbers) if usage else b""
            body = b'{"messages":[' + messages + b"]" + told + b"}"
            return client.request("POST", "/api/v1/sessions/of-1000/turns", body)

        return send

    return {"without usage": turn(b""), "with usage": turn(usage)}


def in_process(calls: int) -> dict[str, Callable[[], object]]:
    session = session_of(1_000)
    raws = _raws(calls, seed=7)
    numbers = count()

    def turn(*, spends: bool) -> Callable[[], object]:
        def add() -> None:
            drafts = [read_message(next(raws), "message") for _ in range(4)]
            spent = _spent(next(numbers)) if spends else None
            add_turn(session=session, drafts=drafts, spent=spent)

        return add

    return {"without usage": turn(spends=False), "with usage": turn(spends=True)}


def _spent(number: int) -> Spent:
    return Spent(
        tokens=Tokens(1_000, 200, 3_000),
        cost=None,
        response_id=f"p{number}",
        message=None,
        details={"model": "gpt-5", "provider": "openai"},
    )


def _raws(calls: int, seed: int) -> Iterator[bytes]:
    """Return all that is said, made before the time is taken."""
    return iter(Conversation(seed=seed).raws((calls + 50) * 8))
