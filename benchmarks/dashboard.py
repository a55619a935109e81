"""What the operator's pages cost where there is much: sessions, a long session, hits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client

from benchmarks.conversations import COMMON, MEDIUM, RARE
from benchmarks.databases import FAST, Shelf, using
from benchmarks.many_sessions import LONG, make
from benchmarks.measuring import interleave, print_table
from sessions_app.models import Session

LISTS = {
    "newest activity": "",
    "newest, page 1,000": "?after={deep}&n=50001",
    "by cost": "?sort=-cost",
    "by messages": "?sort=-messages",
    "by name": "?sort=name",
    "by age": "?sort=-created",
    "by tokens in context (no index)": "?sort=-context",
    "of an agent": "?agent=agent-7",
    "of a kind": "?kind=sub-agent",
    "archived": "?status=archived",
    "trash": "?status=trash",
    "all": "?status=all",
    "within 24 hours": "?within=24h",
    "over $1": "?cost=1",
    "over $1, by cost": "?cost=1&sort=-cost",
    "compaction failed": "?failed=1",
    "with branches (no index)": "?branched=1",
    "by name or first words (no index)": "?q={rare}",
    "by a tag (no index)": "?tag=vip",
    "lineage": "?view=lineage",
}


def run(shelf: Shelf) -> None:
    count = 10_000 if shelf.quick else 100_000
    calls = 4 if shelf.quick else 8
    with using(shelf.folder() / "memoryhub.sqlite3"), settled() as client:
        make(count)
        title = f"The list of {count:,} sessions (target 100 ms)"
        measure(title, client, list_urls(count), calls)
        long = Session.objects.get(key="long")
        urls = {"opened at its head": f"/sessions/{long.pk}"}
        title = f"A session of {LONG:,} messages (target 200 ms, 100 kB)"
        measure(title, client, urls, calls)
    with using(shelf.large()), settled() as client:
        words = {"a common word": COMMON, "a medium word": MEDIUM, "a rare word": RARE}
        urls = {name: f"/search?q={word}" for name, word in words.items()}
        size = sum(shelf.large_sizes)
        title = f"The search page over {size:,} messages (target 300 ms)"
        measure(title, client, urls, calls)


def list_urls(count: int) -> dict[str, str]:
    middle = Session.objects.order_by("-updated_at")[count // 2]
    deep = f"{int(middle.updated_at.timestamp() * 1000)}:{middle.pk}"
    return {
        name: "/sessions" + query.format(deep=deep, rare=RARE)
        for name, query in LISTS.items()
    }


def measure(title: str, client: Client, urls: dict[str, str], calls: int) -> None:
    sides = {name: get(client, url) for name, url in urls.items()}
    timings = interleave(sides, calls=calls, turn=1, warm=1)
    rows = [
        [name, f"{timing.median * 1e3:,.1f}", f"{weight(client, urls[name]):,.1f}"]
        for name, timing in timings.items()
    ]
    print_table(title, ("", "ms", "kB"), rows)


def get(client: Client, url: str) -> Callable[[], object]:
    def work() -> object:
        response = client.get(url)
        assert response.status_code == 200, (url, response.status_code)
        return response

    return work


def weight(client: Client, url: str) -> float:
    return len(client.get(url).content) / 1000


@contextmanager
def settled() -> Iterator[Client]:
    """Migrate what a copy lacks, write without waiting, and give somebody's browser."""
    call_command("migrate", verbosity=0)
    for pragma in FAST:
        connection.connection.execute(pragma)
    client = Client(headers={"host": "localhost"})
    client.force_login(
        User.objects.create_superuser("bench"),
        "django.contrib.auth.backends.ModelBackend",
    )
    yield client
