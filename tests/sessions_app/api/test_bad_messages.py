"""Batches that are refused: the field is named, and nothing is written."""

from __future__ import annotations

import pytest

from tests.api import counts, refusal
from tests.builders import talk

URL = "/sessions/trip/messages"
HELLO = {"role": "user", "parts": []}


@pytest.fixture(autouse=True)
def _nothing_is_written(api, session):
    talk(session, "a b")
    before = counts()
    yield
    assert counts() == before


def check(response, field):
    assert refusal(response) == (422, "invalid")
    error = response.json()["error"]
    assert error["details"].get("field") == field
    assert field is None or field in error["message"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"messages": None}, "messages"),
        ({"messages": {}}, "messages"),
        ({"messages": "text"}, "messages"),
        ({"messages": []}, "messages"),
        ({"parent": 5}, "parent"),
        ({"parent": []}, "parent"),
        ({"expected_head": False}, "expected_head"),
        ({"expected_head": {"id": "a"}}, "expected_head"),
        ({"on_conflict": "panic"}, "on_conflict"),
        ({"on_conflict": None}, "on_conflict"),
        ({"on_conflict": 1}, "on_conflict"),
        ({"mesages": []}, "mesages"),
    ],
)
def test_a_field_of_the_body(api, changes, field):
    check(api.post(URL, {"messages": [HELLO]} | changes), field)


def test_messages_are_needed(api):
    check(api.post(URL, {"parent": "a"}), "messages")


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (None, ""),
        (5, ""),
        ("text", ""),
        ([], ""),
        ({}, ".role"),
        ({"role": "user"}, ".parts"),
        ({**HELLO, "role": None}, ".role"),
        ({**HELLO, "role": 5}, ".role"),
        ({**HELLO, "role": ""}, ".role"),
        ({**HELLO, "role": " "}, ".role"),
        ({**HELLO, "role": "a\nb"}, ".role"),
        ({**HELLO, "role": "a\0b"}, ".role"),
        ({**HELLO, "role": "x" * 101}, ".role"),
        ({**HELLO, "id": 5}, ".id"),
        ({**HELLO, "id": ""}, ".id"),
        ({**HELLO, "id": "\t"}, ".id"),
        ({**HELLO, "id": "a\0b"}, ".id"),
        ({**HELLO, "id": ["a"]}, ".id"),
        ({**HELLO, "id": "x" * 201}, ".id"),
        ({**HELLO, "parts": None}, ".parts"),
        ({**HELLO, "parts": "text"}, ".parts"),
        ({**HELLO, "parts": {}}, ".parts"),
        ({**HELLO, "parts": [None]}, ".parts[0]"),
        ({**HELLO, "parts": ["text"]}, ".parts[0]"),
        ({**HELLO, "parts": [{"type": "text"}, {"text": "x"}]}, ".parts[1]"),
        ({**HELLO, "parts": [{"type": 5}]}, ".parts[0]"),
        ({"role": "user", "content": None}, ".parts"),
        ({"role": "user", "content": 5}, ".parts"),
        ({"role": "user", "content": {"text": "x"}}, ".parts"),
    ],
)
def test_a_message(api, message, field):
    check(api.post(URL, {"messages": [HELLO, message]}), f"messages[1]{field}")


DEEP = b"[" * 300 + b"]" * 300
# Raw JSON of one part's text, and whether it is the message or all that is not JSON.
RAW = [
    (b'"\\ud800"', None),
    (b'"\\udc00 low alone"', None),
    (b'"\xff"', "messages[0]"),
    (b'"\xed\xa0\x80"', "messages[0]"),
    (b"1e400", "messages[0]"),
    (DEEP, "messages[0]"),
    (b"[" * 100_000 + b"]" * 100_000, None),
    (b'"a\nb"', None),
    (b'"a\x00b"', None),
    (b"'single'", None),
    (b"01", None),
    (b"NaN", None),
    (b"undefined", None),
    (b'"half', None),
]


@pytest.mark.parametrize(("value", "field"), RAW, ids=[str(raw[0][:12]) for raw in RAW])
def test_json_that_is_none(api, value, field):
    part = b'{"type":"text","text":' + value + b"}"
    body = b'{"messages":[{"role":"user","parts":[' + part + b"]}]}"

    check(api.post(URL, body), field)


@pytest.mark.parametrize(
    ("text", "is_half"),
    [
        (rb"\ud83d", True),
        (rb"\ud83d and more of it", True),
        (rb"\ud83d\ud83d", True),
        (rb"\uDE00 and more of it", True),
        (rb"\ud83d\ude00\ude00", True),
        (rb"\ud83d\ude00 \x", False),
    ],
)
def test_half_a_character_is_called_so(api, text, is_half):
    response = api.post(URL, b'{"parent":"' + text + b'","messages":[]}')

    check(response, None)
    assert ("surrogate" in response.json()["error"]["message"]) is is_half


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"null",
        b"[]",
        b'"text"',
        b"5",
        b"{",
        b"{}{}",
        b"\xff\xfe{\x00}\x00",
        b"\xef\xbb\xbf{}",
        b"messages=1",
        b'{"messages":[{"role":"user","parts":[]}]',
        b'{"messages":[{"role":"user","parts":[]}],}',
        b'{"parent":"\\ud800","messages":[{"role":"user","parts":[]}]}',
    ],
)
def test_a_body_that_is_none(api, body):
    assert refusal(api.post(URL, body)) == (422, "invalid")


def test_a_form_is_not_json(api):
    kind = "multipart/form-data; boundary=x"
    body = b'--x\r\nContent-Disposition: form-data; name="messages"\r\n\r\n[]\r\n--x--'

    assert refusal(api.post(URL, body, content_type=kind)) == (422, "invalid")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "message"),
        ({"message": None}, "message"),
        ({"message": []}, "message"),
        ({"message": {"role": "user"}}, "message.parts"),
        ({"message": {**HELLO, "id": "other"}}, "message.id"),
        ({"message": HELLO, "parent": 5}, "parent"),
        ({"message": HELLO, "id": "m"}, "id"),
    ],
)
def test_a_message_that_is_put(api, body, field):
    check(api.put(f"{URL}/m", body), field)


@pytest.mark.parametrize(
    ("mid", "field"),
    [("%20", "id"), ("a%0Ab", "id"), ("x" * 201, "id"), ("compaction_x", "message.id")],
)
def test_an_id_that_is_put(api, mid, field):
    response = api.put(f"{URL}/{mid}", {"message": HELLO})

    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"] == {"field": field}
