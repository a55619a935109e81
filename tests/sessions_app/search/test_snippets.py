from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.search.query import InvalidQuery, parse_query
from sessions_app.search.snippets import marked_html, snippet

FILLER = "Lorem ipsum dolor sit amet. " * 30
FRIDAY = "The deployment is scheduled for Friday, with budget concerns."


def shown(text, query, **options):
    """The snippet with brackets for its marks."""
    return (
        snippet(text, parse_query(query), **options)
        .replace("\x02", "[")
        .replace("\x03", "]")
    )


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "deployments",
            "The [deployment] is scheduled for Friday, with budget concerns.",
        ),
        (
            "CONCERN bud*",
            "The deployment is scheduled for Friday, with [budget] [concerns].",
        ),
        (
            '"for friday"',
            "The deployment is scheduled [for Friday], with budget concerns.",
        ),
        (
            '"for friday with bud"*',
            "The deployment is scheduled [for Friday, with budget] concerns.",
        ),
        (
            '"friday for" schedule',
            "The deployment is [scheduled] for Friday, with budget concerns.",
        ),
        ("*LOY*", "The dep[loy]ment is scheduled for Friday, with budget concerns."),
        (
            "deploy* OR the -zebra",
            "[The] deployment is scheduled for Friday, with budget concerns.",
        ),
        (
            "sched* *hedu*",
            "The deployment is [scheduled] for Friday, with budget concerns.",
        ),
        (
            "*hedu* *dule*",
            "The deployment is sc[hedu][le]d for Friday, with budget concerns.",
        ),
    ],
)
def test_marks(query, expected):
    assert shown(FRIDAY, query) == expected


def test_it_cuts_around_the_matches():
    text = FILLER + FRIDAY + " " + FILLER

    assert shown(text, "friday budget", width=9) == (
        "…scheduled for [Friday], with [budget] concerns. Lorem ipsum dolor…"
    )


def test_it_goes_where_most_terms_are():
    text = "budget budget budget. " + FILLER + FRIDAY

    assert shown(text, "budget friday", width=8) == (
        "…deployment is scheduled for [Friday], with [budget] concerns."
    )


def test_the_start_and_the_end_are_not_marked_as_cut():
    assert shown("(Friday!) " + FILLER, "friday", width=5) == "([Friday]!) Lorem ipsum…"
    assert shown(FILLER + "(Friday!)", "friday", width=4).endswith("amet. ([Friday]!)")


def test_without_a_match_it_is_the_start():
    assert shown(FILLER, "zebra", width=3) == "Lorem ipsum dolor…"
    assert shown("short", "zebra") == "short"
    assert shown("", "zebra") == ""


def test_accents_and_case_do_not_matter():
    assert shown("Le CAFÉ, le cafe\u0301", "cafe") == "Le [CAFÉ], le [cafe\u0301]"
    assert (
        shown("Die Straße, die STRASSE", "*strasse*") == "Die [Straße], die [STRASSE]"
    )


def test_a_letter_of_cjk_counts_as_a_token():
    text = "你好系统" * 20 + "部署" + "你好系统" * 20

    assert shown(text, "部署", width=8) == "…系统[部署]你好系统…"


def test_marks_in_the_text_are_removed():
    assert shown("a\x02b\x03 fri\0day Friday", "friday") == "ab friday [Friday]"


def test_endless_words_are_cut():
    text = "a" * 100_000 + " friday " + "b" * 100_000

    assert len(shown(text, "friday")) < 800
    assert len(shown(text, "a*")) < 800
    assert "[friday]" in shown(text, "friday")


def test_marked_html_escapes_the_text():
    assert marked_html(snippet("<b>Friday</b> & co", parse_query("friday"))) == (
        "&lt;b&gt;<mark>Friday</mark>&lt;/b&gt; &amp; co"
    )


@given(st.text(), st.text(), st.integers(1, 40))
def test_any_text_has_a_snippet(text, typed, width):
    try:
        query = parse_query(typed)
    except InvalidQuery:
        return

    piece = snippet(text, query, width=width)

    removed = dict.fromkeys(map(ord, "\0\x02\x03"))
    assert piece.translate(removed).strip("…") in text.translate(removed)
    assert piece.count("\x02") == piece.count("\x03")


@given(
    st.lists(
        st.sampled_from(["ed", "b", "a", "ß", "你", "é", "!", "-", "sky", "skyline"]),
        max_size=200,
    )
)
def test_marks_are_around_what_was_sought(pieces):
    text = " ".join(pieces)
    marked = shown(text, "sky", width=5)

    assert ("[sky]" in marked) == ("sky" in pieces)
    assert "[sky]" not in marked.replace("[sky]", "")
