from __future__ import annotations

from io import BytesIO
from typing import Any

import orjson
import pytest
from django.test import RequestFactory

from memoryhub.wsgi import application
from tests.api import BASE, counts

pytestmark = pytest.mark.django_db(transaction=True)
URL = "/sessions/trip/messages"
MEBI = 1024 * 1024


@pytest.fixture(autouse=True)
def _session(session):
    return session


def send(api, method, path, content=b"", **changes):
    """Call the application as a server does; None as a change leaves a key out."""
    headers = {"Authorization": api.client.defaults["HTTP_AUTHORIZATION"]}
    request = RequestFactory(headers=headers).generic(method, BASE + path, content)
    environ = {
        name: value
        for name, value in {**request.environ, **changes}.items()
        if value is not None
    }
    statuses: list[Any] = []

    def start(status, headers, exc_info=None, /):
        statuses.append(status)
        return statuses.append

    answer = application(environ, start)
    return statuses[0][:3], orjson.loads(b"".join(answer))


def send_in_chunks(api, size):
    content = b'{"messages":[{"role":"user","content":"' + b"x" * size + b'"}]}'
    changes = {"HTTP_TRANSFER_ENCODING": "Chunked", "CONTENT_LENGTH": None}
    return send(api, "POST", URL, **changes, **{"wsgi.input": BytesIO(content)})


def test_a_body_in_chunks_is_read(api):
    status, answer = send_in_chunks(api, 1000)

    assert status == "201"
    assert answer["items"][0]["status"] == "created"


def test_a_body_in_chunks_is_measured(api):
    before = counts()

    status, answer = send_in_chunks(api, 10 * MEBI)

    assert (status, answer["error"]["code"]) == ("413", "too_large")
    assert counts() == before


@pytest.mark.parametrize("charset", ["hex", "utf-16", "latin-1", "none"])
def test_no_charset_changes_what_is_read(api, charset):
    kind = {"CONTENT_TYPE": f"application/json; Charset={charset}"}

    _, made = send(api, "POST", "/sessions?x=%C3%BC", b'{"id":"\xc3\xbc"}', **kind)
    _, found = send(api, "GET", "/sessions?q=%C3%BC", **kind)

    assert made["id"] == "\u00fc"
    assert [each["id"] for each in found["items"]] == ["\u00fc"]


def test_the_api_has_no_middleware_of_pages(api, client):
    page, answer = client.get("/login/"), api.get("/sessions")

    assert page["X-Frame-Options"] == "DENY"
    assert page["Content-Security-Policy"]
    assert answer.status_code == 200
    assert set(answer.headers) == {"Content-Type", "Content-Length"} & set(
        answer.headers
    )
    assert not hasattr(answer.wsgi_request, "session")
