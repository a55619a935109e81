"""Requests that no endpoint could take: one shape for every error."""

from __future__ import annotations

import pytest

from tests.api import api_of, counts, refusal

DEEP = b"[" * 101 + b"]" * 101


@pytest.mark.parametrize("path", ["", "/", "/nothing", "/sessions/", "/v2"])
def test_a_path_that_is_none(api, path):
    response = api.get(path)

    if path not in ("", "/"):
        assert refusal(response) == (404, "not_found")
    else:
        assert response.status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/sessions", "GET, HEAD, POST"),
        ("POST", "/sessions/trip", "DELETE, GET, HEAD, PATCH, PUT"),
        ("GET", "/sessions/trip/messages", "DELETE, POST"),
        ("PUT", "/search", "GET, HEAD"),
        ("TRACE", "/health", "GET, HEAD"),
    ],
)
def test_a_method_that_the_endpoint_lacks(api, method, path, allowed):
    response = api.call(method, path)

    assert refusal(response) == (405, "method_not_allowed")
    assert sorted(response["Allow"].split(", ")) == allowed.split(", ")


@pytest.mark.parametrize(
    "path", ["/health", "/sessions", "/sessions/trip", "/sessions/no", "/nothing"]
)
def test_head_says_what_get_does(api, session, path):
    whole, head = api.get(path), api.call("HEAD", path)

    assert (head.status_code, head.content) == (whole.status_code, b"")
    assert dict(head.headers) == dict(whole.headers)


BAD = [
    b" ",
    b"{",
    b"[]",
    b"5",
    b'"text"',
    b"null",
    b'{"name": "half',
    b'{"name": "N",}',
    b"{'name': 'N'}",
    b'{"name": "N"} {}',
    b"name=N",
    b'{"name": "\xff"}',
    b"\xef\xbb\xbf{}",
    b"\xff\xfe{\x00}\x00",
    b'{"name": "a\x00b"}',
    b'{"name": "a\nb"}',
    b'{"name": "a\\u0000b"}',
    b'{"metadata": {"a": ["\\u0000"]}}',
    b'{"metadata": {"\\u0000": 1}}',
    b'{"name": "\\ud800"}',
    b'{"metadata": {"a": NaN}}',
    b'{"metadata": {"a": 1e400}}',
    b'{"metadata": {"a": Infinity}}',
    b'{"metadata": {"a": ' + DEEP + b"}}",
    b'{"metadata": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    b'{"metadata": {"a": ' + b"1" * 10_000 + b"}}",
]


@pytest.mark.parametrize("body", BAD, ids=[str(body[:24]) for body in BAD])
def test_a_body_that_is_none(api, session, body):
    before = counts()

    for method, path in ("POST", "/sessions"), ("PATCH", "/sessions/trip"):
        status, code = refusal(api.call(method, path, body))
        assert (status, code) == (422, "invalid")

    assert counts() == before
    assert api.get("/sessions/trip").json()["name"] == ""


def test_what_is_just_deep_enough_is_kept(api):
    deep: list[object] = []
    for _ in range(97):
        deep = [deep]

    response = api.post("/sessions", {"id": "x", "metadata": {"deep": deep}})

    assert response.status_code == 201
    assert api.get("/sessions/x").json()["metadata"] == {"deep": deep}


@pytest.mark.parametrize(
    "path",
    [
        "/sessions/a%00b",
        "/sessions?q=%00",
        "/search?q=a%00",
        "/sessions/trip/messages/%00",
        "/agents/%00",
    ],
)
def test_nul_in_a_url(api, session, path):
    assert refusal(api.get(path)) == (422, "invalid")


@pytest.mark.parametrize("path", ["/sessions/%FF", "/sessions/%ED%A0%80"])
def test_a_path_that_is_not_utf_8(api, path):
    assert refusal(api.get(path)) == (404, "not_found")


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "x", ""]
)
def test_json_is_json_whatever_it_is_said_to_be(api, content_type):
    response = api.post("/sessions", {}, content_type=content_type)

    assert response.status_code == 201


@pytest.mark.parametrize("length", ["x", "-5", "1.5", ""])
def test_a_length_that_is_none(api, length):
    response = api.client.get("/api/v1/sessions", CONTENT_LENGTH=length)

    assert response.status_code == 200


def test_more_parameters_than_anyone_needs(api):
    response = api.get("/sessions?" + "&".join(f"p{i}=1" for i in range(2000)))

    assert refusal(response) == (400, "invalid")


def test_a_failure_of_ours_has_the_shape_too(agent, monkeypatch):
    def fail(*args):
        raise RuntimeError("secret")

    monkeypatch.setattr("sessions_app.api.sessions.get_tree", fail)
    api = api_of(agent)
    api.client.raise_request_exception = False

    response = api.get("/sessions/trip")

    assert refusal(response) == (500, "error")
    assert b"secret" not in response.content


def test_what_was_deleted_a_moment_ago_is_not_found(api, session, monkeypatch):
    def gone(*args, **kwargs):
        session.delete()
        session.refresh_from_db()

    monkeypatch.setattr("sessions_app.services.registry.sessions.update_session", gone)

    response = api.patch("/sessions/trip", {"name": "N"})

    assert refusal(response) == (404, "not_found")
