from __future__ import annotations

import re
from typing import Any

import pysqlite3
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sessions_app.search.cjk import holds_cjk
from sessions_app.search.query import (
    Group,
    InvalidQuery,
    Query,
    Term,
    fts5_expression,
    parse_query,
    tsquery,
)

# What the systems that we succeed find: m1 first, then m2.
TEXTS = {
    "m1": "The deployment is scheduled for Friday with budget concerns",
    "m2": "deploying budgets (other session)",
}


@pytest.fixture(scope="module")
def fts5():
    connection = pysqlite3.connect(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE texts USING fts5 (x, tokenize='porter unicode61')"
    )
    connection.executemany(
        "INSERT INTO texts (x) VALUES (?)", [(x,) for x in TEXTS.values()]
    )
    yield connection
    connection.close()


def found(fts5: Any, query: Query) -> list[str]:
    rows: set[int] = set()
    for group in query.groups:
        expression = fts5_expression(group)
        if expression is not None:
            rows.update(
                rowid
                for (rowid,) in fts5.execute(
                    "SELECT rowid FROM texts WHERE texts MATCH ?", [expression]
                )
            )
    return [list(TEXTS)[rowid - 1] for rowid in sorted(rows)]


def only(text):
    (group,) = parse_query(text).groups
    return group


def wants(*terms):
    return Group(wanted=terms, excluded=())


def test_it_works():
    query = parse_query('budget "for Friday" -draft OR plan*')

    assert query == Query(
        (
            Group(
                wanted=(Term("budget", "words"), Term("for Friday", "words")),
                excluded=(Term("draft", "words"),),
            ),
            Group(wanted=(Term("plan", "prefix"),), excluded=()),
        )
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("deployment", ["m1"]),
        ("deploy", ["m2"]),
        ("friday deployment", ["m1"]),
        ("scheduled for Friday", ["m1"]),
        ("for scheduled", ["m1"]),
        ("deployment budget", ["m1"]),
        ('"quoted', []),
        ("deploy*", ["m2"]),
        ("", []),
        ("   ", []),
        ("FRIDAY", ["m1"]),
        ("fri", []),
        ("Friday!", ["m1"]),
        ("schedule (for)", ["m1"]),
        ("concern", ["m1"]),
        # OR is a word to the systems before us, and finds nothing here.
        ("deploy OR zzz", ["m2"]),
        # Ours alone.
        ("budget", ["m1", "m2"]),
        ("budget -friday", ["m2"]),
        ('budget -"for friday"', ["m2"]),
        ('"friday for"', []),
        ("fri*", ["m1"]),
        ('"scheduled for fri"*', ["m1"]),
        ("zzz OR session friday OR concern", ["m1"]),
        ("other-session", ["m2"]),
        ("session-other", []),
    ],
)
def test_finds(fts5, text, expected):
    assert found(fts5, parse_query(text)) == expected


@pytest.mark.parametrize(
    "text", ["", "   ", "(", "* ** - -- -*", '""', '"', "OR", " OR OR ", "\0"]
)
def test_nothing_to_look_for(text):
    assert not parse_query(text)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Friday!", [Term("Friday", "words")]),
        ("schedule (for)", [Term("schedule", "words"), Term("for", "words")]),
        ("foo-bar", [Term("foo-bar", "words")]),
        ("user@example.com,", [Term("user@example.com", "words")]),
        ("--force", [Term("force", "words")]),
        (
            "and AND or not NOT",
            [Term(x, "words") for x in ("and", "AND", "or", "not", "NOT")],
        ),
        ('"OR"', [Term("OR", "words")]),
        ('a"b c"d', [Term("a", "words"), Term("b c", "words"), Term("d", "words")]),
        ('say "to the end', [Term("say", "words"), Term("to the end", "words")]),
        ("foo*", [Term("foo", "prefix")]),
        ("foo-ba**", [Term("foo-ba", "prefix")]),
        ("*foo*", [Term("foo", "substring")]),
        ("*foo", [Term("foo", "substring")]),
        ('*"o b"*', [Term("o b", "substring")]),
        ("*->foo(*", [Term("->foo(", "substring")]),
        ("a*b", [Term("a*b", "words")]),
        ("部署", [Term("部署", "substring")]),
        ("（部署）!", [Term("部署", "substring")]),
        ("v2部署*", [Term("v2部署", "substring")]),
        ('"部署 失败"', [Term("部署 失败", "substring")]),
        ("部署\u3000失败", [Term("部署", "substring"), Term("失败", "substring")]),
    ],
)
def test_terms(text, terms):
    assert only(text) == wants(*terms)


def test_excludes_every_kind():
    group = only('a -b -"c d" -e* -*f* -部署')

    assert group.excluded == (
        Term("b", "words"),
        Term("c d", "words"),
        Term("e", "prefix"),
        Term("f", "substring"),
        Term("部署", "substring"),
    )


@pytest.mark.parametrize(
    "text", ["-foo", "( -foo", "bar OR -foo", '-"foo bar"', "-*foo*"]
)
def test_it_rejects_what_only_excludes(text):
    with pytest.raises(InvalidQuery, match="add a word to look for next to -foo"):
        parse_query(text)


def test_it_rejects_a_long_query():
    parse_query("a" * 1000)

    with pytest.raises(InvalidQuery, match="at most 1,000 characters"):
        parse_query("a" * 1001)


def test_it_rejects_many_terms():
    parse_query("a " * 49 + "-b")

    with pytest.raises(InvalidQuery, match="at most 50") as caught:
        parse_query("a " * 25 + "OR " + "b " * 26)

    assert caught.value.code == "invalid_query"
    assert caught.value.details == {"terms": 51}


@pytest.mark.parametrize(
    ("text", "fts5_text", "tsquery_text"),
    [
        ("Friday!", '"Friday"', "'fridai'"),
        ("foo-bar b", '"foo bar" AND "b"', "'foo' <-> 'bar' & 'b'"),
        ("deploying*", '"deploying" *', "'deploi':*"),
        ('"a deploy"*', '"a deploy" *', "'a' <-> 'deploi':*"),
        ('a -b -"c d"', '("a") NOT ("b" OR "c d")', "'a' & !('b') & !('c' <-> 'd')"),
        ("it's\\ x\"", '"it s" AND "x"', "'it' <-> 's' & 'x'"),
        ("*foo* -*bar*", None, None),
        ("foo 部署 -*bar*", '"foo"', "'foo'"),
        ("*foo* -bar", None, "!('bar')"),
    ],
)
def test_expressions(text, fts5_text, tsquery_text):
    group = only(text)

    assert fts5_expression(group) == fts5_text
    assert tsquery(group) == tsquery_text


SYNTAX = st.lists(
    st.sampled_from(
        ['"', "*", "-", "OR", " ", "a", "deploy", "部", "'", "\\", ":", "^", "NEAR("]
    )
).map("".join)


@given(st.text() | SYNTAX | st.text("ab \"*-'\\():^{}+OR\0"))
@example("\ud800 a")
@example('a" OR x:b NEAR(c, "d')
def test_any_text_is_safe(fts5, text):
    try:
        query = parse_query(text)
    except InvalidQuery:
        return

    for group in query.groups:
        assert group.wanted
        assert all(term.text for term in group.wanted + group.excluded)
        tsquery(group)
    found(fts5, query)


@given(st.text(min_size=1, max_size=60))
def test_only_quoted_words_reach_fts5(text):
    try:
        query = parse_query(text)
    except InvalidQuery:
        return

    for group in query.groups:
        outside = re.sub(r'"[^"]*"', "", fts5_expression(group) or "")
        assert re.fullmatch(r"(AND|OR|NOT|[ ()*])*", outside)


@pytest.mark.parametrize(
    "text", ["部", "のカ", "ｶﾅ", "한국", "ㄅ", "々〇", "𠀀", "plain then 署"]
)
def test_holds_cjk(text):
    assert holds_cjk(text)


@pytest.mark.parametrize(
    "text", ["", "plain", "Café Straße", "Привет", "🚀", "สวัสดี", "，。「」ＡＢ"]
)
def test_holds_no_cjk(text):
    assert not holds_cjk(text)
