from __future__ import annotations

import subprocess
import sys

import pytest

from sessions_app.api.pace import Pace
from tests.api import api_of, refusal

NOW = 1_800_000_000
SECOND = 1_000_000_000


@pytest.fixture
def pace(tmp_path):
    return Pace(tmp_path / "pace")


@pytest.fixture
def limited(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    settings.RATE_LIMIT = 3


def wait(pace, at=0, key=1, limit=3):
    return pace.wait(key, limit, (NOW + at) * SECOND)


def allowed(pace, at=0, key=1):
    return sum(not wait(pace, at, key) for _ in range(10))


def test_all_of_a_minute_may_come_at_once(pace):
    assert allowed(pace) == 3
    assert allowed(pace, at=19) == 0
    assert allowed(pace, at=20) == 1
    assert allowed(pace, at=80) == 3


def test_who_asks_evenly_never_waits(pace):
    assert all(wait(pace, at, limit=60) == 0 for at in range(600))


def test_it_says_how_long_to_wait(pace):
    allowed(pace, at=0)

    assert wait(pace, at=5) == 15 * SECOND


def test_each_key_has_its_own(pace):
    assert [allowed(pace, key=key) for key in (1, 2, 65_535)] == [3, 3, 3]


def test_a_clock_that_is_set_back_shuts_out_nobody_for_longer_than_a_minute(pace):
    allowed(pace, at=86_400)

    assert allowed(pace) == 0
    assert allowed(pace, at=60) == 3


ASKING = f"""
import sys
from pathlib import Path
from sessions_app.api.pace import Pace
pace = Pace(Path(sys.argv[1]))
print(sum(not pace.wait(1, 300, {NOW * SECOND}) for _ in range(200)))
"""


def test_processes_share_it(tmp_path):
    command = [sys.executable, "-c", ASKING, str(tmp_path / "pace")]
    asking = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]

    assert sum(int(each.communicate(timeout=60)[0]) for each in asking) == 300


@pytest.mark.usefixtures("limited")
def test_too_many_requests_are_refused(api, stranger_api, session):
    for _ in range(3):
        assert api.get("/sessions/trip").status_code == 200

    refused = api.post("/sessions/trip/messages", {"messages": []})

    assert refusal(refused) == (429, "rate_limited")
    assert 0 < int(refused["Retry-After"]) <= 20
    assert refused.json()["error"]["details"]["limit"] == 3
    assert stranger_api.get("/sessions").status_code == 200
    assert api.get("/health").status_code == 200


@pytest.mark.usefixtures("limited")
def test_what_was_refused_may_be_sent_again(agent, session, settings):
    api = api_of(agent)
    for _ in range(3):
        api.get("/sessions")
    message = {"messages": [{"role": "user", "content": "Hello"}]}

    refused = api.post("/sessions/trip/messages", message, Idempotency_Key="a")
    settings.RATE_LIMIT = 0
    sent = api.post("/sessions/trip/messages", message, Idempotency_Key="a")

    assert (refused.status_code, sent.status_code) == (429, 201)


def test_without_a_limit_nothing_is_kept(api, settings, tmp_path):
    settings.DATA_DIR = tmp_path

    assert all(api.get("/sessions").status_code == 200 for _ in range(20))
    assert not (tmp_path / "pace").exists()
