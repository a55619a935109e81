from __future__ import annotations

import orjson
import pytest
from django.contrib.messages import get_messages
from django.test import Client

from sessions_app.messages import read_message
from sessions_app.models import Label, Session
from sessions_app.services.compaction.overlays import add_compaction
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.sessions import check_out
from tests.builders import append, compact, fresh, head, seen, talk

GETS = ("label", "edit", "delete", "fork")
POSTS = ("label", "head", "edit", "delete", "fork")


@pytest.fixture
def tree(session: Session) -> Session:
    """A path a b c d, where x y follow b; the head is d."""
    talk(session, "a b c d")
    talk(session, "x y", parent="b")
    check_out(session=session, uid="d")
    return fresh(session)


def place(session: Session, name: str) -> str:
    return f"/sessions/{session.pk}/{name}"


def undo_of(response) -> str:
    """Return where the toast of an act undoes it."""
    *_, said = get_messages(response.wsgi_request)
    return str(said.extra_tags).partition("undo=")[2]


@pytest.mark.parametrize("name", POSTS)
def test_viewers_change_nothing(viewer: Client, tree: Session, name: str) -> None:
    assert viewer.post(place(tree, name), {"msg": "a"}).status_code == 403


@pytest.mark.parametrize("name", GETS)
def test_viewers_are_not_asked(viewer: Client, tree: Session, name: str) -> None:
    assert viewer.get(place(tree, name), {"msg": "a"}).status_code == 403


@pytest.mark.parametrize("name", [*GETS, "message"])
def test_each_form_is_a_page_and_a_piece(
    operator: Client, tree: Session, name: str
) -> None:
    query = {"msg": "c", "at": "c"}
    page = operator.get(place(tree, name), query)
    assert page.status_code == 200
    assert page.content.count(b"<h1") == 1

    if name != "edit":
        piece = operator.get(place(tree, name), query, headers={"HX-Request": "true"})
        assert b"<html" not in piece.content
        assert b'class="card' in piece.content


@pytest.mark.parametrize("name", ["label", "head", "edit", "delete"])
@pytest.mark.parametrize("uid", ["", "no", "no\0"])
def test_messages_that_are_not_there(
    operator: Client, tree: Session, name: str, uid: str
) -> None:
    response = operator.post(place(tree, name), {"msg": uid, "mode": "subtree"})

    assert response.status_code == 404
    assert fresh(tree).message_count == 6


def test_a_label_is_given_and_taken_back(operator: Client, tree: Session) -> None:
    first = operator.post(place(tree, "label"), {"msg": "c", "text": "one"})
    assert first.status_code == 303
    assert first["Location"] == f"/sessions/{tree.pk}?msg=c#m3"
    second = operator.post(place(tree, "label"), {"msg": "c", "text": "two words"})
    assert Label.objects.get().text == "two words"

    operator.post(undo_of(second))
    assert Label.objects.get().text == "one"
    operator.post(undo_of(first))
    assert not Label.objects.exists()


def test_a_bad_label_is_refused(operator: Client, tree: Session) -> None:
    for text in ("x" * 201, "a\x1bb"):
        sent = {"msg": "c", "text": text}
        assert operator.post(place(tree, "label"), sent).status_code == 422
    assert not Label.objects.exists()


def test_the_head_is_moved_and_moved_back(operator: Client, tree: Session) -> None:
    response = operator.post(place(tree, "head"), {"msg": "y"})
    assert head(tree) == "y"

    operator.post(undo_of(response))
    assert head(tree) == "d"


def test_texts_are_edited(operator: Client, tree: Session) -> None:
    fork = fork_session(session=tree, at="d")
    page = operator.get(place(tree, "edit"), {"msg": "c"}).content.decode()
    assert "1 fork shares this message: it keeps the old text" in page

    response = operator.post(place(tree, "edit"), {"msg": "c", "text-0": "new\r\ntext"})

    assert response.status_code == 303
    body = orjson.loads(tree.messages.get(uid="c").body)
    assert body["parts"] == [{"type": "text", "text": "new\ntext"}]
    assert "c" in fork.messages.get(uid="c").body
    assert seen(tree) == "a b c d"


def test_json_is_edited_and_kept_where_it_is_wrong(
    operator: Client, tree: Session
) -> None:
    sent = {"msg": "c", "as": "json"}
    good = '{"role": "assistant", "parts": [], "kept": 1}'
    assert operator.post(place(tree, "edit"), {**sent, "json": good}).status_code == 303
    assert orjson.loads(tree.messages.get(uid="c").body)["kept"] == 1

    for bad in ("", "{", "[]", '{"id":"other","role":"user","parts":[]}', '{"role":1}'):
        response = operator.post(place(tree, "edit"), {**sent, "json": bad})
        assert response.status_code == 422
        assert response.context["json"] == bad
        assert "Nothing was changed" in response.content.decode()
    assert orjson.loads(tree.messages.get(uid="c").body)["kept"] == 1


def test_deleting_says_what_goes(operator: Client, tree: Session) -> None:
    fork_session(session=tree, at="d")
    compact(tree, "b", "c")
    compact(fresh(tree), "d", "d")

    html = operator.get(place(tree, "delete"), {"msg": "b"}).content.decode()

    assert "2 messages that follow it move up" in html
    assert "1 compaction begins or ends here" in html
    assert "5 messages on 2 branches" in html
    assert "2 compactions go with them" in html
    assert "1 fork shares it" in html


def test_one_message_is_deleted(operator: Client, tree: Session) -> None:
    operator.post(place(tree, "delete"), {"msg": "b", "mode": "reparent"})

    assert seen(tree) == "a c d"
    assert seen(tree, "y") == "a x y"


def test_a_message_is_deleted_with_all_below(operator: Client, tree: Session) -> None:
    operator.post(place(tree, "delete"), {"msg": "c", "mode": "subtree"})

    assert seen(tree) == "a b x y"
    odd = operator.post(place(tree, "delete"), {"msg": "x", "mode": "all"})
    assert odd.status_code == 422


def test_a_fork_may_change_what_it_shares(operator: Client, tree: Session) -> None:
    fork = fork_session(session=tree, at="c")

    operator.post(place(fork, "edit"), {"msg": "a", "text-0": "mine"})
    operator.post(place(fork, "delete"), {"msg": "b", "mode": "reparent"})

    assert seen(fork) == "a c"
    assert "mine" not in tree.messages.get(uid="a").body


def test_forking_says_what_comes_along(operator: Client, tree: Session) -> None:
    add_compaction(session=tree, first="a", last="b", summary="S")

    html = operator.get(place(tree, "fork"), {"at": "b"}).content.decode()

    assert "Fork at #2" in html
    assert "2 messages, shared" in html
    assert "2 branches, with copies" in html
    assert "compactions on the path" in html
    assert "1 of 1" in html


@pytest.mark.parametrize(
    ("include", "count"), [("path", 2), ("branches", 6), ("tree", 6)]
)
def test_forks_are_made(
    operator: Client, tree: Session, include: str, count: int
) -> None:
    sent = {"at": "b", "include": include, "name": "Plan B", "blocks": "on"}
    response = operator.post(place(tree, "fork"), sent)

    fork = Session.objects.latest("id")
    assert response["Location"] == f"/sessions/{fork.pk}"
    assert (fork.name, fork.message_count) == ("Plan B", count)
    assert operator.get(response["Location"]).status_code == 200


def test_odd_forks_are_refused(operator: Client, tree: Session) -> None:
    for sent in ({"include": "all"}, {"at": "no"}):
        assert operator.post(place(tree, "fork"), sent).status_code in (404, 422)
    assert Session.objects.count() == 1


def test_an_empty_session_is_forked(operator: Client, session: Session) -> None:
    assert operator.get(place(session, "fork")).status_code == 200
    assert operator.post(place(session, "fork"), {}).status_code == 303
    assert Session.objects.count() == 2


def test_the_whole_message_is_shown_as_it_is_stored(
    viewer: Client, session: Session
) -> None:
    raw = b'{"id":"a","role":"user","parts":[],"big":12345678901234567890123}'
    append(session, read_message(raw, "m"))

    html = viewer.get(place(session, "message"), {"msg": "a"}).content.decode()

    assert "12345678901234567890123" in html
    assert "Delete" not in html
