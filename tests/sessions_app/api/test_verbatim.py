"""A message is returned as it was sent, to the byte."""

from __future__ import annotations

import json

import pytest

URL = "/sessions/trip/messages"
KEPT = [
    '{"id":"m","role":"user","parts":[]}',
    '{ "id" : "m",\t"role":"user" ,\r\n "parts" : [ ] }',
    '{"parts":[],"role":"user","id":"m"}',
    '{"id":"m","role":"user","parts":[],"n":[1.0,1e5,1E+5,-0,-0.0,0.10,1e-7]}',
    '{"id":"m","role":"user","parts":[],"n":123456789012345678901234567890}',
    '{"id":"m","role":"user","parts":[],"n":0.1234567890123456789012345}',
    '{"id":"m","role":"user","parts":[],"x":{"z":1,"a":null,"m":[true,{}]}}',
    '{"id":"m","role":"user","parts":[],"createdAt":0,"metadata":"any"}',
    '{"id":"m","role":"user","parts":[],"x":1,"x":2}',
    '{"id":"m","role":"user","parts":[],"":""}',
    r'{"id":"m","role":"user","parts":[],"s":"\u00fc\/\"\\\n\b\ud83d\ude00"}',
    '{"id":"m","role":"user","parts":[],"s":"ü 日本 😀 \u2028 \x7f \ufeff \uffff"}',
    r'{"id":"m","role":"user","parts":[{"type":"text","text":"a\u0000b"}]}',
    r'{"id":"m","role":"user","parts":[{"type":"tool-\u0000","input":"\u0000"}]}',
    '{"id":"m","role":"user","parts":[{"type":"text","text":""},{"type":"new"}]}',
    '{"id":"m","role":"a role of my own","parts":[],"content":["and",{"more":1}]}',
    '{"id":"m","role":"user","parts":[],"deep":' + "[" * 200 + "]" * 200 + "}",
    '{"id":"m","role":"user","parts":[],"long":"' + "x" * 1_000_000 + '"}',
]


@pytest.fixture(autouse=True)
def _session(session):
    return session


@pytest.mark.parametrize("message", KEPT, ids=[str(i) for i in range(len(KEPT))])
@pytest.mark.parametrize("way", ["post", "put"])
def test_the_bytes_stay(api, message, way):
    if way == "post":
        response = api.post(URL, b'{"messages": [ ' + message.encode() + b" ]}")
    else:
        response = api.put(f"{URL}/m", b'{"message":' + message.encode() + b"}")
    assert response.status_code == 201

    for path in ("/sessions/trip/history", f"{URL}/m"):
        content = api.get(path).content
        assert message.encode() in content
        json.loads(content)


def test_each_message_of_a_batch_is_its_own(api):
    messages = [text.replace('"m"', f'"m{i}"') for i, text in enumerate(KEPT)]

    api.post(URL, f'{{"messages":[{" , ".join(messages)}]}}'.encode())

    content = api.get("/sessions/trip/history").content.decode()
    assert content.startswith(f'{{"items":[{",".join(messages)}],')


def test_an_id_that_is_made_stands_first_and_the_rest_as_it_was(api):
    response = api.post(URL, b'{"messages":[{"role" : "user","parts":[],"n":1.0}]}')

    made = response.json()["items"][0]["id"]
    expected = f'{{"id":"{made}","role" : "user","parts":[],"n":1.0}}'
    assert expected in api.get("/sessions/trip/history").content.decode()


def test_what_has_nul_is_found_by_its_words(api):
    text = b'{"type":"text","text":"before\\u0000after"}'
    api.post(URL, b'{"messages":[{"role":"user","parts":[' + text + b"]}]}")

    assert len(api.get("/search", q="before").json()["items"]) == 1
    assert len(api.get("/search", q="after").json()["items"]) == 1
