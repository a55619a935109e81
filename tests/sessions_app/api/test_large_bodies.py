from __future__ import annotations

import httpx
import pytest

from tests.api import BASE, counts, refusal
from tests.server import running_server

URL = "/sessions/trip/messages"
MEBI = 1024 * 1024


@pytest.fixture(autouse=True)
def _session(session):
    return session


def body(size):
    """Return a batch of about that many bytes."""
    text = b"x" * size
    return b'{"messages":[{"role":"user","content":"' + text + b'"}]}'


def test_a_large_body_is_taken(api):
    assert api.post(URL, body(7 * MEBI)).status_code == 201


def test_a_body_that_is_too_large_is_refused(api):
    before = counts()

    response = api.post(URL, body(10 * MEBI))

    assert refusal(response) == (413, "too_large")
    assert response.json()["error"]["details"] == {"limit": 8 * MEBI}
    assert counts() == before


@pytest.mark.slow
def test_the_server_reads_ids_and_chunks_as_they_are_sent(tmp_path):
    def chunks(size):
        yield from (body(size)[at : at + 65_536] for at in range(0, size + 80, 65_536))

    with (
        running_server(tmp_path) as server,
        httpx.Client(base_url=server.url + BASE, headers=server.headers) as client,
    ):
        path = "/sessions/a%2Fb%20%C3%BC"
        made = client.put(path, json={})
        small = client.post(f"{path}/messages", content=chunks(200_000))
        large = client.post(f"{path}/messages", content=chunks(10 * MEBI))
        declared = client.post(f"{path}/messages", content=body(10 * MEBI))
        history = client.get(f"{path}/history")

    assert made.json()["id"] == "a/b ü"
    assert small.status_code == 201
    assert (large.status_code, declared.status_code) == (413, 413)
    assert large.json()["error"]["code"] == "too_large"
    assert history.json()["path_length"] == 1
