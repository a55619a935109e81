"""The tab with the whole tree, and what can be done to a branch there."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.urls import reverse

from sessions_app.models import Label, Message
from sessions_app.services.browsing.branches import NoBranch, delete_branch, find_branch
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.sessions import check_out
from sessions_app.services.spend.usage import Tokens, add_usage
from sessions_app.services.writing.editing import set_label
from tests.builders import compact, fresh, head, seen, talk

pytestmark = pytest.mark.django_db


@pytest.fixture
def branched(session):
    talk(session, "a b c d")
    talk(session, "x y z", parent="b")
    talk(session, "y2", parent="x")
    check_out(session=session, uid="d")
    return fresh(session)


def address(session, **query) -> str:
    return reverse("session-tree", args=[session.pk], query=query)


def act(client, session, **fields):
    return client.post(reverse("session-tree", args=[session.pk]), fields)


def test_who_may_see_it_and_act(branched, client, viewer, operator):
    assert client.get(address(branched)).url.startswith("/login")
    page = viewer.get(address(branched)).content.decode()
    assert "Delete this branch" not in page
    assert act(viewer, branched, act="head", message="z").status_code == 403
    assert head(branched) == "d"
    assert "Delete this branch" in operator.get(address(branched)).content.decode()


def test_branches_have_their_figures(branched, viewer):
    usage = {"session": branched, "model": "m", "tokens": Tokens(), "cost": Decimal(2)}
    add_usage(**usage, message="y2")
    page = viewer.get(address(branched, pick="x")).content.decode()
    assert "$2.00" in page
    branch = find_branch(session=branched, uid="x")
    assert (branch.first.uid, branch.leaf.uid, branch.messages) == ("x", "y2", 2)
    assert (branch.going, branch.leaves) == (4, 2)
    assert branch.tokens == sum(
        Message.objects.filter(uid__in=["x", "y2"]).values_list("tokens", flat=True)
    )
    assert branch.parent.uid == "b"


def test_the_head_is_moved_and_moved_back(branched, operator):
    answer = act(operator, branched, act="head", message="z")
    assert answer.status_code == 303
    assert head(branched) == "z"
    page = operator.get(answer.url).content.decode()
    assert "The head was moved" in page
    operator.post(address(branched, act="head", message="d"))
    assert head(branched) == "d"


def test_a_label_is_set_and_taken_away(branched, operator):
    act(operator, branched, act="label", message="z", text=" <b>try</b> ")
    assert Label.objects.get().text == "<b>try</b>"
    page = operator.get(address(branched, pick="z")).content.decode()
    assert "&lt;b&gt;try" in page
    assert "<b>try" not in page
    act(operator, branched, act="label", message="z", text="")
    assert not Label.objects.exists()


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"act": "label", "message": "z", "text": "x" * 201}, 422),
        ({"act": "label", "message": "nothing", "text": "x"}, 404),
        ({"act": "label", "message": "z", "text": "a\nb"}, 422),
        ({"act": "head", "message": "nothing"}, 404),
        ({"act": "delete", "message": "x"}, 404),
        ({"act": "delete", "message": "x", "expected": "3"}, 409),
        ({"act": "delete", "message": "a", "expected": "8"}, 409),
        ({"act": "burn"}, 422),
        ({}, 422),
    ],
)
def test_acts_that_cannot_be_done(branched, operator, fields, status):
    assert act(operator, branched, **fields).status_code == status
    assert Message.objects.count() == 8


def test_deleting_says_what_goes_and_leaves_what_is_shared(branched, operator):
    compact(branched, "x", "y2")
    fork_session(session=branched, at="z", name="fork")
    page = operator.get(address(branched, pick="x")).content.decode()
    assert "Delete 4 messages on 2 branches, with 1 compaction?" in page
    assert "1 fork keeps its messages." in page
    answer = act(operator, branched, act="delete", message="x", expected="4")
    assert answer.status_code == 303
    assert seen(branched) == "a b c d"
    fork = branched.children.get()
    assert seen(fork) == "a b x y z"


def test_deleting_the_heads_branch_says_where_the_head_goes(branched, operator):
    page = operator.get(address(branched)).content.decode()
    assert "The head moves to the newest branch that is left." in page
    delete_branch(session=branched, uid="c", expected=2)
    assert head(branched) == "y2"


def test_the_only_branch_cannot_be_deleted(session, operator):
    talk(session, "a b c")
    assert "Delete this branch" not in operator.get(address(session)).content.decode()
    with pytest.raises(NoBranch):
        delete_branch(session=fresh(session), uid="a", expected=3)


def test_a_fork_deletes_only_its_own(branched, operator):
    fork = fork_session(session=branched, at="b", name="fork")
    talk(fork, "p q")
    talk(fork, "r", parent="a")
    branch = find_branch(session=fresh(fork), uid="q")
    # From the message that the other branch of the fork leaves at.
    assert (branch.first.uid, branch.going) == ("b", 3)
    delete_branch(session=fresh(fork), uid="b", expected=3)
    assert seen(fork, "r") == "a r"
    assert seen(branched) == "a b c d"


@pytest.mark.parametrize("query", [{"leaf": "nothing"}, {"pick": "nothing"}])
def test_an_address_of_what_is_not_there(branched, viewer, query):
    assert viewer.get(address(branched, **query)).status_code == 404


def test_an_empty_session(session, viewer):
    assert "No messages yet" in viewer.get(address(session)).content.decode()


def test_queries(branched, viewer, django_assert_max_num_queries):
    set_label(session=branched, uid="z", text="named")
    with django_assert_max_num_queries(34):
        viewer.get(address(branched))
