from __future__ import annotations

import pytest

from context_app.models import Block
from tests.api import Api, escaped, refusal
from tests.blocks import INJECTION, scan_with

BLOCKS = "/sessions/trip/blocks"
MEMORY = f"{BLOCKS}/memory"

SHAPE = {
    "label",
    "description",
    "kind",
    "content",
    "tokens",
    "max_tokens",
    "writable",
    "is_skill",
    "is_searchable",
    "shared",
    "source",
    "findings",
    "version",
    "position",
    "updated_at",
}


def make(api, label="memory", path=BLOCKS, **fields):
    return api.post(path, {"label": label, **fields})


def test_it_works(api):
    response = make(api, kind="writable", description="Facts", max_tokens=1100)

    assert response.status_code == 201
    assert response.json().keys() == SHAPE
    assert response.json()["updated_at"].endswith("Z")
    written = api.put(MEMORY, {"content": "User likes coffee."})
    assert written.status_code == 200
    assert (written.json()["tokens"], written.json()["version"]) == (5, 2)
    assert api.get(MEMORY).json() == written.json()
    assert api.get(BLOCKS).json() == {"items": [written.json()], "next": None}


@pytest.mark.parametrize(
    ("kind", "flags"),
    [
        ("readonly", (False, False, False)),
        ("writable", (True, False, False)),
        ("skill", (True, True, False)),
        ("search", (True, False, True)),
    ],
)
def test_kinds(api, kind, flags):
    made = make(api, kind=kind).json()

    assert (made["writable"], made["is_skill"], made["is_searchable"]) == flags


def test_append(api):
    make(api, content="one")

    response = api.post(f"{MEMORY}/append", {"content": "two"})

    assert response.json()["content"] == "one\ntwo"


def test_patch(api):
    make(api, content="one", max_tokens=9)

    changed = api.patch(
        MEMORY, {"description": "Facts", "max_tokens": None, "position": 3}
    )

    assert changed.status_code == 200
    fields = ("description", "max_tokens", "position", "content", "version")
    assert [changed.json()[name] for name in fields] == ["Facts", None, 3, "one", 2]


def test_delete(api):
    make(api)

    assert api.delete(MEMORY).status_code == 204
    assert refusal(api.get(MEMORY)) == (404, "not_found")


def test_revert(api):
    make(api)
    api.put(MEMORY, {"content": "one"})
    api.put(MEMORY, {"content": "two"})

    response = api.post(f"{MEMORY}/revert", {"version": 2})

    assert (response.json()["content"], response.json()["version"]) == ("one", 4)
    assert refusal(api.post(f"{MEMORY}/revert", {"version": 99})) == (404, "not_found")


def test_compare_and_set(api):
    make(api)
    api.put(MEMORY, {"content": "one", "version": 1})

    response = api.put(MEMORY, {"content": "other", "version": 1})

    assert refusal(response) == (409, "version_mismatch")
    assert response.json()["error"]["details"] == {"version": 2}
    late = api.post(f"{MEMORY}/append", {"content": "x", "version": 1})
    assert refusal(late) == (409, "version_mismatch")


def test_versions(api):
    make(api, content="one")
    api.put(MEMORY, {"content": "two"})
    api.post(f"{MEMORY}/append", {"content": "three"})

    listed = api.get(f"{MEMORY}/versions", limit=2).json()

    assert [each["version"] for each in listed["items"]] == [3, 2]
    assert listed["items"][0]["author"].startswith("key mh_")
    more = api.get(f"{MEMORY}/versions", cursor=listed["next"]).json()
    assert [each["content"] for each in more["items"]] == ["one"]
    read = api.get(f"{MEMORY}/versions/3").json()
    assert read["diff"].split("\n")[-2:] == [" two", "+three"]
    assert "-one" in api.get(f"{MEMORY}/versions/3", against=1).json()["diff"]
    assert refusal(api.get(f"{MEMORY}/versions/9")) == (404, "not_found")
    assert refusal(api.get(f"{MEMORY}/versions/x")) == (422, "invalid")


def test_a_label_may_hold_anything(api):
    label = "a/b ü?#%"
    make(api, label)

    response = api.put(f"{BLOCKS}/{escaped(label)}", {"content": "x"})

    assert response.status_code == 200
    assert api.get(f"{BLOCKS}/{escaped(label)}/versions").status_code == 200


def test_blocks_of_an_agent(api):
    shared = make(api, "soul", "/agents/support/blocks", content="Kind.", shared=True)
    template = make(api, "memory", "/agents/support/blocks", template=True)

    assert shared.status_code == template.status_code == 201
    assert [
        each["label"] for each in api.get("/agents/support/blocks").json()["items"]
    ] == [
        "soul",
        "memory",
    ]
    # Shared with the session that was there; copied to those that come.
    assert [each["label"] for each in api.get(BLOCKS).json()["items"]] == ["soul"]
    api.post("/sessions", {"id": "new"})
    new = api.get("/sessions/new/blocks").json()["items"]
    assert [(each["label"], each["shared"]) for each in new] == [
        ("soul", True),
        ("memory", False),
    ]
    api.put(f"{BLOCKS}/soul", {"content": "Kinder."})
    assert api.get("/agents/support/blocks/soul").json()["content"] == "Kinder."


@pytest.mark.parametrize("path", [BLOCKS, "/agents/support/blocks"])
def test_the_same_below_both(api, path):
    make(api, path=path, content="one")

    assert api.put(f"{path}/memory", {"content": "two"}).status_code == 200
    assert api.post(f"{path}/memory/append", {"content": "x"}).status_code == 200
    assert api.patch(f"{path}/memory", {"position": 2}).status_code == 200
    assert api.post(f"{path}/memory/revert", {"version": 1}).json()["content"] == "one"
    assert len(api.get(f"{path}/memory/versions").json()["items"]) == 4
    assert api.get(f"{path}/memory/versions/1").json()["content"] == "one"
    assert api.delete(f"{path}/memory").status_code == 204


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"label": ""}, (422, "invalid")),
        ({"label": None}, (422, "invalid")),
        ({"label": "a\nb"}, (422, "invalid")),
        ({"kind": "magic"}, (422, "invalid")),
        ({"max_tokens": -1}, (422, "invalid")),
        ({"position": 2**40}, (422, "invalid")),
        ({"shared": True}, (422, "invalid")),
        ({"content": 7}, (422, "invalid")),
        ({"content": "nul\0"}, (422, "invalid")),
        ({"kind": "skill", "content": "x"}, (422, "keyed_block")),
        ({"content": "a b c", "max_tokens": 1}, (422, "exceeds_max_tokens")),
        ({"kind": "search", "source": "storage"}, (403, "forbidden")),
        ({"kind": "skill", "source": "storage"}, (403, "forbidden")),
        ({"kind": "skill", "source": "history"}, (422, "invalid")),
        ({"colour": "red"}, (422, "invalid")),
    ],
)
def test_what_is_not_made(api, fields, expected):
    assert refusal(api.post(BLOCKS, {"label": "x", **fields})) == expected
    assert not Block.objects.exists()


def test_a_label_that_is_taken(api):
    make(api)

    assert refusal(make(api)) == (409, "block_exists")


@pytest.mark.parametrize(
    ("method", "body"),
    [("PUT", {"content": "x"}), ("PATCH", {}), ("DELETE", None), ("GET", None)],
)
def test_a_block_that_there_is_not(api, method, body):
    assert refusal(api.call(method, MEMORY, body)) == (404, "not_found")


def test_a_readonly_block(api, admin):
    make(api, "soul", kind="readonly", content="Kind.")
    make(api, "law", "/agents/support/blocks", kind="readonly", shared=True)

    for each in (api, admin):
        assert refusal(each.put(f"{BLOCKS}/soul", {"content": "x"})) == (
            422,
            "readonly",
        )
    law = "/agents/support/blocks/law"
    assert refusal(api.put(law, {"content": "x"})) == (422, "readonly")
    assert admin.put(law, {"content": "Be kind."}).status_code == 200


def test_a_keyed_block(api):
    make(api, kind="skill")

    assert refusal(api.put(MEMORY, {"content": "x"})) == (422, "keyed_block")


def test_only_an_operator_names_a_storage(admin, settings, tmp_path):
    settings.STORAGES = {
        **settings.STORAGES,
        "skills": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": tmp_path},
        },
    }
    (tmp_path / "a.md").write_text("A")

    made = make(admin, kind="skill", source="storage", storage={"keys": ["a.md"]})

    assert made.json()["content"] == "- a.md"
    assert made.json()["writable"] is False
    (item,) = admin.get(f"{MEMORY}/entries").json()["items"]
    assert item["key"] == "a.md"
    assert admin.get(f"{MEMORY}/entries/a.md").json()["content"] == "A"


def test_both_shared_and_a_template(api):
    for both in (True, False):
        response = make(api, path="/agents/support/blocks", shared=both, template=both)
        assert refusal(response) == (422, "invalid")


def test_it_is_held(api, agent):
    scan_with(agent, "quarantine")
    make(api)

    for response in (
        api.put(MEMORY, {"content": INJECTION}),
        api.post(f"{MEMORY}/append", {"content": INJECTION}),
        api.patch(MEMORY, {"description": INJECTION}),
        make(api, "other", content=INJECTION),
    ):
        assert response.status_code == 202
        assert response.json()["state"] == "held"
        assert response.json()["session"] == "trip"
    assert api.get(MEMORY).json()["content"] == ""
    assert api.get(MEMORY).json()["description"] == ""


def test_who_may(api, reader, outsider):
    make(api)
    make(api, path="/agents/support/blocks")

    for path in (BLOCKS, "/agents/support/blocks"):
        assert reader.get(f"{path}/memory").status_code == 200
        assert refusal(reader.put(f"{path}/memory", {"content": "x"})) == (
            403,
            "forbidden",
        )
        assert refusal(make(reader, "x", path)) == (403, "forbidden")
        assert refusal(Api(None).get(path)) == (401, "unauthenticated")
        for response in (
            outsider.get(path),
            outsider.get(f"{path}/memory"),
            outsider.get(f"{path}/memory/versions"),
            outsider.put(f"{path}/memory", {"content": "x"}),
            outsider.patch(f"{path}/memory", {"position": 1}),
            outsider.delete(f"{path}/memory"),
            make(outsider, "x", path),
        ):
            assert refusal(response) == (404, "not_found")


def test_a_retry_makes_it_once(api):
    for _ in range(2):
        assert api.post(BLOCKS, {"label": "x"}, Idempotency_Key="k").status_code == 201

    assert Block.objects.count() == 1


def test_a_patch_of_a_version(api):
    api.post(BLOCKS, {"label": "memory"})

    first = api.patch(f"{BLOCKS}/memory", {"description": "a", "version": 1})
    second = api.patch(f"{BLOCKS}/memory", {"description": "b", "version": 1})

    assert first.json()["version"] == 2
    assert refusal(second) == (409, "version_mismatch")
