"""Whatever stands in an address, or comes with a form: never a failure of ours (5xx)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.http import QueryDict
from django.test import Client

from tests.addresses import address, routes
from tests.everything import Places, add_everything

pytestmark = pytest.mark.django_db

# Of the odd values each parameter gets a share; 1: all of them, which takes minutes.
STRIDE = int(os.environ.get("STRIDE", "80"))
# As they stand in an address, escaped.
ODD = {
    "nothing": "",
    "long": "x" * 100_000,
    "long number": "9" * 5000,
    "surrogate": "%ED%A0%80",
    "no UTF-8": "%FF%FE",
    "from right to left": "%E2%80%AE%D7%A9%D7%9C%D7%95%D7%9D",
    "emoji": "%F0%9F%91%A9%E2%80%8D%F0%9F%9A%80",
    "combining": "e%CC%81%CC%82" * 20,
    "control": "%1B%5B%07%0D%0A",
    "negative": "-1",
    "zero": "0",
    "huge": "1" + "0" * 30,
    "above a column": str(2**63),
    "at a column's end": str(2**63 - 1),
    "power": "1e5",
    "float": "1.5",
    "not a number": "NaN",
    "endless": "-Infinity",
    "digits of others": "%D9%A3%D9%A1",
    "superscript": "%C2%B2",
    "wildcards": "%25%5F%25' OR 1=1 --",
    "search": '"* AND (NEAR( -',
    "markup": "<script>alert(1)</script>\"'",
    "JSON": "%7B%22a%22:[1",
    "deep JSON": "[" * 2000,
    "list": "[]",
    "null": "null",
    "first": "1",
    "second": "2",
    "a message": "m2",
    "its branch": "b1",
    "a message that was deleted": "gone",
    "a day that is none": "2026-02-30",
    "last day": "9999-12-31",
    "first day": "0001-01-01",
    "path": "../../etc/passwd",
}
WHOLE = "*"
# Ways through a view that a single odd value does not take.
WAYS = (
    "", "act=edit", "act=delete", "msg=m2", "at=m2", "from=m0&to=m2", "a=1&b=2", "q=probe",
    "do=run", "do=import", "how=own&from=m0&to=m1&summary=x", "key=probe&entry=probe",
    "version=1&content=x", "session=1", "model=x&input=1&output=1&match=exact&convention=disjoint",
    "covers=everything&period=day&limit=1&warn_at=80", "msg=m2&as=json", "at=m2&name=x", "left=m2&right=b1",
    "range=custom&since=2026-01-01&until=2026-02-01", "name=probe", "view=side&from=1&to=2",
)  # fmt: skip


@pytest.fixture
def places(settings: Any, tmp_path: Any) -> Places:
    settings.BACKUPS_DIR = tmp_path / "backups"
    settings.UPLOADS_DIR = tmp_path / "uploads"
    settings.DATA_DIR = settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    return add_everything()


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names that views have asked of an address or a form; WHOLE if for all."""
    names: set[str] = set()

    def note(method: str, *whole: str) -> None:
        real = getattr(QueryDict, method)

        def noted(self: Any, *given: Any, **options: Any) -> Any:
            names.update(whole or (str(given[0]),))
            return real(self, *given, **options)

        monkeypatch.setattr(QueryDict, method, noted, raising=False)

    for method in ("__getitem__", "__contains__", "getlist"):
        note(method)
    for method in ("__iter__", "items", "lists", "values", "urlencode", "copy"):
        note(method, WHOLE)
    return names


def matters(way: str, read: set[str]) -> bool:
    """Say whether a view that has asked for these names may take another way by it."""
    return not read.isdisjoint(QueryDict(way).keys() | {WHOLE})


def send(client: Client, method: str, place: str, query: str) -> list[str]:
    """Send it, and return what failed of it; nothing stays written."""
    with transaction.atomic():
        response: Any = client.generic(
            method,
            place,
            "" if method == "GET" else query,
            content_type="application/x-www-form-urlencoded",
            QUERY_STRING=query.replace(" ", "%20"),
        )
        if response.streaming and not hasattr(response, "file_to_stream"):
            b"".join(response.streaming_content)
        transaction.set_rollback(True)
    failed = response.status_code >= 500
    return [f"{method} {place}?{query[:200]} {response.exc_info}"] if failed else []


def addresses(places: Places) -> Iterator[tuple[str, bool]]:
    """Give each address, and whether it is the first of its route."""
    for route in sorted(routes()):
        if route.startswith(("logout", "login", "password", "system/backups")):
            continue
        yield address(route, places), True
        if route.startswith("sessions/<"):
            for place in ("fork", "trashed"):
                yield address(route, places, place=place), False


@pytest.mark.slow
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_nothing_odd_makes_a_page_fail(
    manager: Client, places: Places, read: set[str], method: str
):
    manager.raise_request_exception = False
    failures: list[str] = []
    for number, (place, is_first) in enumerate(addresses(places)):
        names: dict[str, str] = {}
        bare: set[str] = set()  # what is asked for where nothing is given
        for way in WAYS if is_first else WAYS[:4]:
            if way and not matters(way, bare):
                continue
            read.clear()
            failures += send(manager, method, place, way)
            for name in read - {WHOLE}:
                names.setdefault(name, way)
            bare = bare if way else set(read)
        for at, (name, way) in enumerate(names.items() if is_first else ()):
            for odd in list(ODD.values())[(number + at) % STRIDE :: STRIDE]:
                rest = "&".join(
                    each for each in way.split("&") if not each.startswith(f"{name}=")
                )
                failures += send(manager, method, place, f"{rest}&{name}={odd}")
            twice = f"{name}=1&{name}=m2&{way}"
            failures += send(manager, method, place, twice)
    assert failures == []


NAMES = (
    "agent", "name", "content", "text", "text-0", "description", "title", "note", "model",
    "username", "key", "label", "summary", "msg", "json", "url", "tag", "leaf", "q",
)  # fmt: skip


def part(name: str, value: str, more: str = "") -> str:
    head = f'--x\r\nContent-Disposition: form-data; name="{name}"{more}'
    return f"{head}\r\n\r\n{value}\r\n"


BODIES = {
    "cut short": part("files", "{}", '; filename="a.jsonl"')[:-9],
    "cut in a head": part("files", "")[:30],
    "NUL": "".join(part(name, "a\0b") for name in NAMES)
    + part("version", "3")
    + part("events", "budget.warning")
    + "--x--\r\n",
    "NUL in a file's name": part("files", "{}", '; filename="a\0b"') + "--x--\r\n",
    "too many fields": "".join(part(f"a{number}", "") for number in range(1200)),
}


@pytest.mark.parametrize(
    "kind", ["multipart/form-data; boundary=x", "multipart/form-data"]
)
@pytest.mark.parametrize("body", BODIES)
def test_no_form_in_parts_fails(
    manager: Client, places: Places, body: str, kind: str
) -> None:
    manager.raise_request_exception = False
    for place, is_first in addresses(places):
        if not is_first:
            continue
        with transaction.atomic():
            response: Any = manager.generic(
                "POST", place, BODIES[body], content_type=kind
            )
            assert response.status_code < 500, (place, response.exc_info)
            transaction.set_rollback(True)


# What did fail once.
KNOWN = {
    "a long search of agents": ("GET", "/agents", f"q={ODD['long']}"),
    "a long search of prices": ("GET", "/prices", f"q={ODD['long']}"),
    "thousands of digits": ("GET", "/sessions", f"open={ODD['long number']}"),
    "thousands of zeros": ("POST", "/agents", f"name=x&compact_after={'0' * 5000}"),
    "a delivery": ("POST", "/webhooks/1", f"act=retry-{ODD['long number']}"),
    "no rate": ("POST", "/prices", f"{WAYS[14]}&input=NaN"),
    "no limit": ("POST", "/budgets", "limit=-Infinity&warn_at=80&period=day&covers=everything"),
    "above the rail": ("GET", "/sessions/1/rail", ""),
    "a session of the admin": ("GET", "/admin/sessions_app/message/", f"q=a&session={10**30}"),
}  # fmt: skip


@pytest.mark.parametrize("known", KNOWN)
def test_what_failed_once(manager: Client, places: Places, known: str) -> None:
    method, place, query = KNOWN[known]
    for name in ("sessions", "webhooks"):
        place = place.replace(f"/{name}/1", f"/{name}/{places[name]['pk']}")
    manager.raise_request_exception = False
    assert send(manager, method, place, query) == []
