from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.services.importing.ordering import parents_first


def put_in_order(parents):
    complaints = []
    order = [*parents_first(parents, lambda uid, reason: complaints.append(uid))]
    return order, complaints


def test_a_tree_stays_as_it_is():
    parents = {"a": None, "b": "a", "c": "a", "d": "b"}

    assert put_in_order(parents) == (["a", "b", "c", "d"], [])


def test_a_parent_that_comes_later_is_put_first():
    assert put_in_order({"b": "a", "a": None}) == (["a", "b"], [])


@pytest.mark.parametrize(
    ("parents", "mended"),
    [
        ({"a": "gone"}, {"a": None}),
        ({"a": None, "b": "a", "c": "gone"}, {"a": None, "b": "a", "c": "b"}),
        ({"a": "a"}, {"a": None}),
        ({"a": "b", "b": "a"}, {"a": None, "b": "a"}),
        ({"x": "a", "a": "b", "b": "a"}, {"x": "a", "a": None, "b": "a"}),
        # What came before the one that lost its parent is below it.
        ({"b": "a", "a": "gone"}, {"b": None, "a": "b"}),
    ],
)
def test_what_cannot_be_is_mended_and_told(parents, mended):
    order, complaints = put_in_order(parents)

    assert parents == mended
    assert sorted(order) == sorted(mended)
    assert complaints


IDS = st.sampled_from("abcdefgh")


@given(st.dictionaries(IDS, st.none() | IDS | st.just("gone")))
def test_whatever_is_given_each_comes_once_and_after_its_parent(parents):
    order, _ = put_in_order(parents)

    assert sorted(order) == sorted(parents)
    for uid, parent in parents.items():
        assert parent is None or order.index(parent) < order.index(uid)
