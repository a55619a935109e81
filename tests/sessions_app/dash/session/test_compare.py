"""Two branches side by side."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.urls import reverse

from sessions_app.services.browsing.comparisons import NothingToCompare, compare
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.sessions import check_out
from sessions_app.services.spend.usage import Tokens, add_usage
from tests.builders import append, draft, fresh, say, talk

pytestmark = pytest.mark.django_db


@pytest.fixture
def branched(session):
    talk(session, "a b c d")
    talk(session, "x y z", parent="b")
    check_out(session=session, uid="d")
    return fresh(session)


def address(session, **query) -> str:
    return reverse("session-compare", args=[session.pk], query=query)


def uids(session, side) -> list[str]:
    known = dict(session.messages.values_list("id", "uid"))
    return [known[each] for each in side.messages]


def test_sides_begin_where_the_branches_part(branched):
    found = compare(session=branched, a="d", b="z")
    assert (found.common, found.fork.uid) == (2, "b")
    assert uids(branched, found.a) == ["c", "d"]
    assert uids(branched, found.b) == ["x", "y", "z"]
    assert (found.a.number, found.b.number) == (3, 3)
    assert found.a.is_head
    assert found.b.tokens == 3 * found.a.tokens // 2


def test_without_names_it_is_the_head_and_the_newest_other(branched):
    found = compare(session=branched, a=None, b=None)
    assert (found.a.leaf.uid, found.b.leaf.uid) == ("d", "z")


def test_a_message_in_the_midst_stands_for_its_branch(branched):
    found = compare(session=branched, a="c", b="x")
    assert (found.a.leaf.uid, found.b.leaf.uid) == ("d", "z")


@pytest.mark.parametrize("pair", [("d", "d"), ("d", "c"), ("a", "z")])
def test_the_same_branch_is_not_compared(branched, viewer, pair):
    with pytest.raises(NothingToCompare):
        compare(session=branched, a=pair[0], b=pair[1])
    answer = viewer.get(address(branched, a=pair[0], b=pair[1]))
    assert answer.status_code == 200
    assert "Nothing to compare" in answer.content.decode()


def test_one_branch_and_none(session, viewer):
    assert "Nothing to compare" in viewer.get(address(session)).content.decode()
    talk(session, "a b")
    assert "has one branch" in viewer.get(address(session)).content.decode()


def test_beginnings_that_share_nothing(session, viewer):
    talk(session, "a b")
    talk(session, "x", parent=None)
    page = viewer.get(address(session, a="b", b="x")).content.decode()
    assert "No message in common" in page


def test_the_page_shows_figures_and_differences(branched, viewer):
    for uid, cost in (("d", 3), ("z", 1)):
        add_usage(
            session=branched,
            message=uid,
            model="m",
            tokens=Tokens(),
            cost=Decimal(cost),
        )
    page = viewer.get(address(branched, a="d", b="z")).content.decode()
    assert "2 messages in common" in page
    assert "1 more" in page
    assert "$2.00 less" in page
    assert "50% more" in page
    swapped = viewer.get(address(branched, a="z", b="d")).content.decode()
    assert "1 fewer" in swapped


def test_long_sides_are_paged(branched, viewer):
    append(branched, *(draft(f"long {n}", f"m{n}") for n in range(100)), parent="z")
    page = viewer.get(address(branched, a="d", b="m99")).content.decode()
    assert "long 36" in page
    assert "long 37" not in page
    assert "The messages after these" in page
    page = viewer.get(address(branched, a="d", b="m99", b_at=40)).content.decode()
    assert "long 37" in page
    assert "long 36<" not in page
    assert viewer.get(address(branched, b_at=10**9)).status_code == 200


def test_a_fork_compares_its_own_with_what_it_inherits(branched, viewer):
    fork = fork_session(session=branched, at="d", name="fork")
    talk(fork, "p", parent="a")
    found = compare(session=fresh(fork), a="d", b="p")
    assert (found.common, len(found.a.messages)) == (1, 3)
    assert viewer.get(address(fork, a="d", b="p")).status_code == 200


def test_what_is_shown_is_escaped(branched, viewer):
    say(branched, "<script>alert(1)</script>", uid="evil", parent="z")
    branched.name = "<img src=x>"
    branched.save()
    page = viewer.get(address(branched, a="d", b="evil")).content.decode()
    assert "<script>alert" not in page
    assert "<img src=x" not in page


@pytest.mark.parametrize(
    ("query", "status"),
    [({"a": "nothing"}, 404), ({"b": "q"}, 404), ({"a_at": "x"}, 422)],
)
def test_bad_addresses(branched, viewer, query, status):
    assert viewer.get(address(branched, **query)).status_code == status


def test_who_may_see_it(branched, client, viewer, operator):
    assert client.get(address(branched)).url.startswith("/login")
    assert "Make this the head" not in viewer.get(address(branched)).content.decode()
    assert "Make this the head" in operator.get(address(branched)).content.decode()


def test_queries(branched, viewer, django_assert_max_num_queries):
    with django_assert_max_num_queries(24):
        viewer.get(address(branched))


def test_what_both_share_unfolds_in_place(viewer, branched):
    page = viewer.get(address(branched, a="d", b="x")).content.decode()
    unfolded = page[page.index("2 messages in common") : page.index("compare-curves")]
    assert "msg=a" in unfolded
    assert "msg=b" in unfolded
    assert "msg=c" not in unfolded
    # A message in the midst of a branch stands for all of it.
    assert "3 messages from here" in page
