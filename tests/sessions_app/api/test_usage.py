from __future__ import annotations

import pytest

from sessions_app.models import Price, Usage
from sessions_app.services.prices import save_price
from sessions_app.services.spend.usage import Tokens, add_usage
from tests.api import api_of, counts, refusal, walk
from tests.builders import say

URL = "/sessions/trip/usage"
CALL = {
    "input_tokens": 100,
    "output_tokens": 20,
    "cache_read_tokens": 30,
    "cache_write_tokens": 4,
    "reasoning_tokens": 5,
}


@pytest.fixture(autouse=True)
def _session(session):
    return session


def test_it_works(api, session):
    say(session, "m")
    details = {
        "model": "m1",
        "provider": "anthropic",
        "purpose": "title",
        "cost_usd": 0.0125,
        "response_id": "r1",
        "message": "m",
        "latency_ms": 1200,
        "cache_write_1h_tokens": 3,
        "raw": {"input_tokens": 100, "n": [1.5, 12345678901234567890123]},
    }

    response = api.post(URL, CALL | details)

    assert response.status_code == 201
    answer = response.json()
    row = answer["row"]
    assert row.pop("created_at").endswith("Z")
    assert row.pop("id")
    assert row.pop("key") == Usage.objects.get().key.prefix
    assert (row.pop("cost_source"), row.pop("computed_usd")) == ("reported", None)
    assert row == CALL | details
    assert answer["totals"] == CALL | {"cost_usd": 0.0125, "unpriced": 0}


def test_it_adds_up_and_counts_what_has_no_price(api):
    api.post(URL, CALL | {"cost_usd": 0.1})
    api.post(URL, CALL | {"cost_usd": 0.2})

    totals = api.post(URL, {"output_tokens": 1}).json()["totals"]

    assert totals["input_tokens"] == 200
    assert totals["output_tokens"] == 41
    assert (totals["cost_usd"], totals["unpriced"]) == (0.3, 1)
    assert api.get("/sessions/trip").json()["usage"] == totals


def test_a_response_counts_once(api):
    first = api.post(URL, CALL | {"response_id": "r1"})

    again = api.post(URL, CALL | {"response_id": "r1"})

    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    assert Usage.objects.count() == 1


def test_it_lists_the_newest_first(api):
    rows = [api.post(URL, {"input_tokens": i}).json()["row"] for i in range(5)]

    assert api.get(URL).json() == {"items": rows[::-1], "next": None}
    assert walk(api, URL, limit=2) == rows[::-1]


@pytest.mark.parametrize(
    ("by", "keys"),
    [
        ("model", ["", "m1"]),
        ("purpose", ["chat", "title"]),
        ("agent", ["support"]),
        ("session", ["trip"]),
        ("provider", [""]),
    ],
)
def test_it_sums_up(api, by, keys):
    api.post(URL, CALL | {"model": "m1", "cost_usd": 0.5})
    api.post(URL, CALL | {"purpose": "title"})

    items = api.get("/usage", group_by=by).json()["items"]

    assert [group["key"] for group in items] == keys
    assert sum(group["input_tokens"] for group in items) == 200
    assert sum(group["cost_usd"] or 0 for group in items) == 0.5
    assert sum(group["unpriced"] for group in items) == 1


def test_it_sums_up_by_day(api):
    row = api.post(URL, CALL).json()["row"]

    (day,) = api.get("/usage").json()["items"]

    assert day == CALL | {
        "key": row["created_at"][:10],
        "cost_usd": None,
        "unpriced": 1,
        "calls": 1,
        "cache_hit_rate": 30 / 134,
    }
    assert api.get("/usage", since="2099-01-01").json()["items"] == []
    assert api.get("/usage", until="2000-01-01").json()["items"] == []


def test_the_ledger_outlives_the_session(api):
    api.post(URL, CALL)
    api.delete("/sessions/trip")

    (group,) = api.get("/usage", group_by="session").json()["items"]

    assert (group["key"], group["input_tokens"]) == (None, 100)


def test_the_sums_are_the_agents_own(api, stranger_api, admin_api):
    api.post(URL, CALL)

    assert stranger_api.get("/usage").json()["items"] == []
    assert refusal(stranger_api.get("/usage", agent="support")) == (404, "not_found")
    assert len(admin_api.get("/usage").json()["items"]) == 1
    assert admin_api.get("/usage", agent="stranger").json()["items"] == []


def test_large_numbers_add_up(api):
    most = dict.fromkeys(CALL, 10**12) | {"cost_usd": 100_000}
    for _ in range(3):
        assert api.post(URL, most).status_code == 201

    assert api.get("/sessions/trip").json()["usage"]["cost_usd"] == 300_000
    assert api.get("/usage").json()["items"][0]["input_tokens"] == 3 * 10**12


CALLS = [("GET", URL, None), ("POST", URL, CALL), ("GET", "/usage", None)]


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_it_needs_a_key(anonymous, method, path, body):
    assert refusal(anonymous.call(method, path, body)) == (401, "unauthenticated")


def test_it_needs_more_than_a_reading_key(agent):
    reader = api_of(agent, "read")

    assert refusal(reader.post(URL, CALL)) == (403, "forbidden")
    assert reader.get(URL).status_code == 200


@pytest.mark.parametrize(("method", "path", "body"), CALLS[:2])
def test_another_agents_does_not_exist(stranger_api, method, path, body):
    assert refusal(stranger_api.call(method, path, body)) == (404, "not_found")


def test_its_message_must_be_there(api):
    assert refusal(api.post(URL, CALL | {"message": "none"})) == (404, "not_found")
    assert Usage.objects.count() == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("input_tokens", -1),
        ("input_tokens", "100"),
        ("input_tokens", 1.5),
        ("input_tokens", None),
        ("output_tokens", True),
        ("reasoning_tokens", 10**13),
        ("cost_usd", -0.01),
        ("cost_usd", "1"),
        ("cost_usd", 10**9),
        ("model", None),
        ("provider", "x" * 101),
        ("purpose", ""),
        ("response_id", ""),
        ("response_id", 5),
        ("message", 5),
        ("latency_ms", -1),
        ("latency_ms", 10**9),
        ("cache_write_1h_tokens", -1),
        ("raw", []),
        ("raw", "text"),
        ("tokens", 5),
    ],
)
def test_what_cannot_be_is_named(api, field, value):
    before = counts()

    response = api.post(URL, CALL | {field: value})

    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"]["fields"][0]["field"] == field
    assert counts() == before


@pytest.mark.parametrize(
    ("field", "value"),
    [("group_by", "week"), ("since", "x"), ("until", "5"), ("limit", "0")],
)
def test_a_sum_that_cannot_be_is_named(api, field, value):
    response = api.get("/usage", **{field: value})

    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"]["fields"][0]["field"] == field


@pytest.mark.parametrize(
    ("provider", "raw"),
    [
        (
            "openai",
            {
                "prompt_tokens": 100,
                "completion_tokens": 20,
                "prompt_tokens_details": {"cached_tokens": 40},
            },
        ),
        (
            "anthropic",
            {"input_tokens": 60, "cache_read_input_tokens": 40, "output_tokens": 20},
        ),
        (
            "google",
            {
                "promptTokenCount": 100,
                "cachedContentTokenCount": 40,
                "candidatesTokenCount": 20,
            },
        ),
    ],
)
def test_a_providers_own_account_is_taken_apart(api, session, provider, raw):
    response = api.post(URL, {"provider": provider, "raw": raw})

    row = response.json()["row"]
    assert (row["input_tokens"], row["cache_read_tokens"], row["output_tokens"]) == (
        60,
        40,
        20,
    )
    assert row["raw"] == raw


def test_an_account_of_nobody_known_is_refused(api, session):
    response = api.post(URL, {"provider": "acme", "raw": {"units": 3}})

    assert response.status_code == 422
    assert session.usage_rows.count() == 0


def test_it_sums_up_by_key_and_by_hour(api, agent, session):
    row = api.post(URL, CALL).json()["row"]
    add_usage(session=session, tokens=Tokens(7))

    keyed, keyless = api.get("/usage", group_by="key").json()["items"]
    assert (keyed["key"], keyed["input_tokens"]) == (row["key"], 100)
    assert (keyless["key"], keyless["input_tokens"]) == (None, 7)
    hours = api.get("/usage", group_by="hour").json()["items"]
    assert hours[0]["key"] == row["created_at"][:13] + ":00Z"
    assert sum(hour["calls"] for hour in hours) == 2


def test_the_dearest_come_with_the_sum_of_the_rest(api):
    for model, cost in (("a", 1), ("b", 3), ("c", 2), ("d", 0.5)):
        api.post(URL, {"model": model, "cost_usd": cost})

    answer = api.get("/usage", group_by="model", limit=2).json()

    assert [group["key"] for group in answer["items"]] == ["b", "c"]
    assert (answer["rest"]["cost_usd"], answer["rest"]["calls"]) == (1.5, 2)
    assert api.get("/usage", group_by="model", limit=4).json()["rest"] is None


def test_imports_may_be_left_out(api):
    api.post(URL, CALL)
    api.post(URL, CALL | {"purpose": "import"})

    for by in ("day", "hour", "session"):
        all_ = api.get("/usage", group_by=by).json()["items"]
        some = api.get("/usage", group_by=by, leave_out_imports=True).json()["items"]
        assert (all_[0]["calls"], some[0]["calls"]) == (2, 1)


def test_what_an_agents_sessions_cost_in_part_of_a_day_is_of_the_ledger(api):
    row = api.post(URL, CALL).json()["row"]
    since = row["created_at"]

    for by in ("model", "session", "key", "agent", "day"):
        (group,) = api.get("/usage", group_by=by, since=since).json()["items"]
        assert (group["calls"], group["unpriced"]) == (1, 1)


def test_a_call_without_a_cost_is_priced(api):
    save_price(
        Price(provider="anthropic", model="m", input=10**9, output=0, cache_read=0)
    )
    raw = {"input_tokens": 3_000_000, "cache_read_input_tokens": 5, "output_tokens": 7}

    row = api.post(URL, {"provider": "anthropic", "model": "m", "raw": raw}).json()[
        "row"
    ]

    assert (row["cost_usd"], row["computed_usd"], row["cost_source"]) == (
        3,
        3,
        "computed",
    )
