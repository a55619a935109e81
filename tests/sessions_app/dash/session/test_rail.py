"""The tree rail: what it shows of a path, what hangs off it, and what it costs."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from sessions_app.dash.session.rail import Rail, rail_of
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.sessions import check_out
from sessions_app.services.writing.editing import set_label
from tests.builders import append, compact, draft, fresh, head, say, talk


def shape(rail: Rail) -> list[str]:
    """Return rows in short: words, #number, and > for each level."""
    said = []
    for row in [*rail.root, *rail.rows, *rail.end]:
        mark = ">" * row.level
        text = row.label or row.text
        if row.kind == "run":
            text = f"({row.count})"
        elif row.kind == "band":
            text = "compacted"
        elif row.kind == "more":
            text = f"{row.branches} more"
        said.append(f"{mark}{text}")
    return said


def rail(session, only=None, **options) -> Rail:
    session = fresh(session)
    return rail_of(session, head(session), only, **options)


def html(shown: Rail) -> str:
    return render_to_string("session/_rail.html", {"rail": shown})


def test_a_branch_hangs_below_where_it_leaves(session):
    talk(session, "a b c d")
    talk(session, "x y", parent="b")
    check_out(session=session, uid="d")
    assert shape(rail(session)) == ["a", "b", ">x", "c", "d"]


def test_the_path_to_another_leaf_is_the_trunk(session):
    talk(session, "a b c d")
    talk(session, "x y", parent="b")
    shown = rail_of(fresh(session), "d", None)
    assert shape(shown) == ["a", "b", ">x", "c", "d"]
    assert [row.is_head for row in shown.rows if row.kind == "branch"] == [True]


def test_branches_of_a_branch_stand_one_level_further_in(session):
    talk(session, "a b c")
    talk(session, "x y z", parent="a")
    talk(session, "p", parent="x")
    check_out(session=session, uid="c")
    # The branch goes on to its newest leaf; what was there before hangs off it.
    assert shape(rail(session)) == ["a", ">x", ">>y", "b", "c"]


def test_deeper_branches_are_asked_for(session, viewer):
    talk(session, "a b")
    talk(session, "p q r s t", parent="a")
    talk(session, "q2 r2", parent="p")
    talk(session, "r3", parent="q2")
    check_out(session=session, uid="t")
    talk(session, "u", parent="t")
    check_out(session=session, uid="b")
    shown = rail(session)
    assert shape(shown) == ["a", ">p", ">>q2", ">>>1 more", "b"]
    more = next(row for row in shown.rows if row.kind == "more")
    rows = viewer.get(more.ask, headers={"HX-Request": "true"}).content.decode()
    # The branch goes on to its newest leaf, r3: r2 hangs off it.
    assert "msg=r2" in rows
    assert "msg=r3" not in rows


def test_beginnings_beside_the_first_hang_off_the_root(session):
    talk(session, "a b")
    talk(session, "other", parent=None)
    check_out(session=session, uid="b")
    assert shape(rail(session)) == ["a", ">other", "b"]


def test_long_runs_are_one_row(session):
    append(session, *(draft(f"m{n}", f"m{n}", "assistant") for n in range(100)))
    assert shape(rail(session)) == ["m0", "(98)", "m99"]


def test_what_the_user_said_breaks_long_runs(session):
    append(
        session,
        *(
            draft(f"m{n}", f"m{n}", "user" if n == 50 else "assistant")
            for n in range(100)
        ),
    )
    assert shape(rail(session)) == ["m0", "(49)", "m50", "(48)", "m99"]


def test_a_compacted_stretch_ends_with_a_row_that_says_so(session):
    append(session, *(draft(f"m{n}", f"m{n}", "assistant") for n in range(100)))
    compact(session, "m10", "m60")
    shown = rail(session)
    assert shape(shown) == ["m0", "(60)", "compacted", "(38)", "m99"]
    assert [row.dashed for row in shown.rows] == [False, False, True, False, False]


def test_filters(session):
    for n in range(12):
        say(session, f"m{n}", role=("user", "assistant", "tool")[n % 3])
    set_label(session=session, uid="m4", text="here")
    assert "m2" not in shape(rail(session))
    assert shape(rail(session, "user"))[::2][:2] == ["m0", "m3"]
    assert shape(rail(session, "labelled")) == ["m0", "(3)", "here", "(6)", "m11"]
    assert len(shape(rail(session, "all"))) == 12
    assert rail(session, "nonsense").shown == "no_tools"


def test_a_branch_after_a_tools_answer_stands_at_its_call(session):
    say(session, "ask")
    say(session, "call", role="assistant")
    say(session, "answer", role="tool")
    append(session, *(draft(f"m{n}", f"m{n}", "tool") for n in range(80)))
    say(session, "other", parent="answer")
    check_out(session=session, uid="m79")
    assert shape(rail(session)) == ["ask", "call", ">other", "(80)", "m79"]


def test_only_labelled_branches_are_left(session):
    talk(session, "a b")
    talk(session, "x y", parent="a")
    talk(session, "p q", parent="a")
    set_label(session=session, uid="y", text="kept")
    check_out(session=session, uid="b")
    assert shape(rail(session, "labelled")) == ["a", ">kept", "b"]


def test_a_fork_shows_what_it_inherits(session):
    talk(session, "a b c d")
    fork = fork_session(session=session, at="b")
    talk(fork, "x y")
    talk(fork, "z", parent="a")
    check_out(session=fork, uid="y")
    assert shape(rail(fork)) == ["a", ">z", "b", "x", "y"]


def test_many_branches_of_one_message_are_asked_for(session, viewer):
    talk(session, "a b")
    for n in range(10):
        talk(session, f"r{n}", parent="a")
    check_out(session=session, uid="b")
    shown = rail(session)
    assert shape(shown) == [
        "a", ">r9", ">r8", ">r7", ">r6", ">r5", ">r4", ">4 more", "b"
    ]  # fmt: skip
    more = next(row for row in shown.rows if row.kind == "more")
    answer = viewer.get(more.ask, headers={"HX-Request": "true"}).content.decode()
    assert [n for n in range(10) if f"msg=r{n}" in answer] == [0, 1, 2, 3]


def test_all_branches_of_one_place_without_a_script(session, viewer):
    talk(session, "a b")
    for n in range(60):
        talk(session, f"r{n}", parent="a")
    check_out(session=session, uid="b")
    shown = rail(session)
    assert len(shown.rows) == 9
    more = next(row for row in shown.rows if row.kind == "more")
    tree = reverse("session-tree", args=[session.pk])
    page = viewer.get(f"{tree}?{more.link}").content.decode()
    assert [n for n in range(60) if f"pick=r{n}#" in page] == list(range(60))


def test_branches_of_the_root_are_not_lost_above(session):
    append(session, *(draft(f"m{n}", f"m{n}") for n in range(200)))
    for n in range(3):
        talk(session, f"r{n}", parent="m0")
    check_out(session=session, uid="m199")
    found: list[str] = []
    before = None
    for _ in range(20):
        shown = rail(session, "all", before=before)
        found = [*(row.uid for row in shown.rows), *found]
        before = shown.before
        if not before:
            break
    assert [row.uid for row in shown.root] == ["m0"]
    assert found == ["r2", "r1", "r0", *(f"m{n}" for n in range(1, 200))]


def test_what_a_row_says_is_escaped(session):
    talk(session, "a b")
    say(session, "<script>alert(1)</script>", uid="x", parent="a")
    set_label(session=session, uid="b", text="<img src=x onerror=alert(1)>")
    check_out(session=session, uid="b")
    page = html(rail(session))
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;img" in page


def test_an_empty_session_says_so(session):
    assert "No messages yet" in html(rail(session))


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("leaf=nothing", 404),
        ("rail=-1", 200),
        ("rail=x", 200),
        ("rail=99999999999999999", 200),
        ("from=a&to=nothing", 404),
        ("from=b&to=x", 422),
        ("from=a&to=b&level=99&under=x", 200),
    ],
)
def test_pieces_that_make_no_sense(session, viewer, query, status):
    talk(session, "a b c")
    talk(session, "x", parent="a")
    address = reverse("session-rail", args=[session.pk])
    assert viewer.get(f"{address}?{query}").status_code == status


def test_who_may_see_the_pieces(session, client, viewer):
    address = reverse("session-rail", args=[session.pk])
    assert client.get(address).url.startswith("/login")
    assert viewer.get(address).status_code == 200
    assert viewer.post(address).status_code == 405


def test_a_large_tree_is_small(session, django_assert_num_queries):
    append(session, *(draft(f"message {n}", f"m{n}") for n in range(8000)))
    for n in range(1000):
        parent = f"m{n * 7 + 3}"
        append(session, draft("x", f"x{n}"), draft("y", f"y{n}"), parent=parent)
    check_out(session=session, uid="m7999")
    found = fresh(session)
    with django_assert_num_queries(6):
        shown = rail_of(found, "m7999", None)
    assert len(html(shown)) < 20_000
    assert shown.older


def test_older_rows_go_on_without_a_gap(session):
    append(session, *(draft(f"m{n}", f"m{n}") for n in range(200)))
    shown = rail(session, "all")
    first = shown.rows[0].at
    above = rail(session, "all", before=shown.before)
    assert above.rows[-1].at == first - 1
    assert shown.older == first - 1


def test_the_selected_message_is_in_the_window(session):
    append(session, *(draft(f"m{n}", f"m{n}") for n in range(200)))
    shown = rail(session, "all", selected="m20")
    assert [row.uid for row in shown.rows if row.current] == ["m20"]
    assert shown.newer
    assert shown.end[0].uid == "m199"
