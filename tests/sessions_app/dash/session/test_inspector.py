"""What stands beside a transcript."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.template.loader import render_to_string

from sessions_app.dash.session.inspector import inspector_of
from sessions_app.errors import NotFound
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.sessions import check_out
from sessions_app.services.spend.usage import Tokens, add_usage
from sessions_app.services.writing.editing import set_label
from tests.builders import compact, fresh, say, talk

pytestmark = pytest.mark.django_db


@pytest.fixture
def branched(session):
    talk(session, "a b c")
    talk(session, "x", parent="a")
    check_out(session=session, uid="c")
    tokens = Tokens(input_tokens=10, output_tokens=20, cache_read_tokens=70)
    for uid, cost in (("b", "1"), ("x", "2")):
        add_usage(
            session=session, message=uid, model="m", tokens=tokens, cost=Decimal(cost)
        )
    return fresh(session)


def html(session, leaf, selected=None) -> str:
    inspector = inspector_of(session, leaf, selected)
    context = {"session": session, "leaf": leaf, "inspector": inspector}
    return render_to_string("session/_inspector.html", context)


def test_the_path_and_the_tree_are_added_up(branched):
    found = inspector_of(branched, "c")
    assert (found.path.cost_nanos, found.tree.cost_nanos) == (10**9, 3 * 10**9)
    assert [each["tokens"] for each in found.segments] == [70, 10, 20]
    page = html(branched, "c")
    assert "$1.00" in page
    assert "$3.00 with all branches" in page


def test_the_selected_message_has_its_facts(branched):
    set_label(session=branched, uid="b", text="<i>named</i>")
    page = html(branched, "c", "b")
    assert "Message #2" in page
    assert "&lt;i&gt;named" in page
    assert "chat call" in page.lower()
    assert "Message #3" in html(branched, "c")


def test_a_summary_stands_for_the_last_it_covers(branched):
    uid = compact(branched, "b", "b").uid
    assert inspector_of(branched, "c", f"compaction_{uid}").message.uid == "b"


def test_what_is_not_there(branched):
    assert inspector_of(branched, "c", "nothing").message is None
    with pytest.raises(NotFound):
        inspector_of(branched, "nothing")


def test_a_fork_has_what_it_shares_in_its_tree(branched):
    fork = fork_session(session=branched, at="b", name="fork")
    found = inspector_of(fresh(fork), "b")
    assert (found.path.cost_nanos, found.tree.cost_nanos) == (10**9, 10**9)
    assert found.message.place.children == 0


def test_without_calls_nothing_is_said_of_money(session):
    say(session, "a")
    assert "Spent" not in html(fresh(session), "a")
    assert inspector_of(fresh(session), None).message is None


def test_queries(branched, django_assert_num_queries):
    with django_assert_num_queries(13):
        inspector_of(branched, "c", "b")
