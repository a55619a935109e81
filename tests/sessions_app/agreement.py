"""That sessions are read as a naive model has them, and that rows are in their places."""

from __future__ import annotations

from typing import Any

import orjson

from sessions_app import sql
from sessions_app.messages import parse_body, search_text
from sessions_app.models import Compaction, Label, SearchDocument
from sessions_app.search.backends import backend
from sessions_app.search.documents import missing, orphans
from sessions_app.services.forest.envelopes import history_envelopes
from sessions_app.services.forest.finding import is_on_path
from sessions_app.services.forest.history import read_history
from sessions_app.services.forest.trees import children, leaves, runs
from sessions_app.sql import climbs
from tests.builders import uid_of
from tests.sessions_app.naive import Cover


def body_of(tree, step):
    if not isinstance(step, Cover):
        return tree.nodes[step].draft.body
    return step.uid, step.summary, step.covered[0], step.covered[-1], len(step.covered)


def body_read(step):
    if not step.compaction:
        return step.body
    message = orjson.loads(step.body)
    about = message["metadata"]["compaction"]
    assert message["id"] == f"compaction_{about['id']}"
    text = message["parts"][0]["text"]
    return about["id"], text, about["from"], about["to"], about["count"]


def check_history(session, tree, leaf, steps, **options):
    history = read_history(session, leaf=leaf, **options)
    leaf = leaf or tree.head

    assert [body_read(step) for step in history.steps] == [
        body_of(tree, step) for step in steps
    ]
    assert (history.head, history.leaf) == (tree.head, leaf)
    assert history.path_length == len(tree.path(leaf))
    assert history.context_tokens == tree.tokens(leaf)
    return history


def check_histories(session, tree, turn):
    check_history(session, tree, None, tree.visible(tree.head))
    check_history(session, tree, None, tree.path(tree.head), raw=True)
    if not tree.nodes:
        return
    leaf = list(tree.nodes)[turn % len(tree.nodes)]
    visible = tree.visible(leaf)
    history = check_history(session, tree, leaf, visible)
    check_envelopes(session, tree, history)

    start: str | None = leaf
    pages: list[Any] = []
    while start:
        page = read_history(session, leaf=leaf, start=start, limit=1 + turn % 4)
        pages[:0] = page.steps
        start = page.older
    assert pages == history.steps

    at = turn % len(visible)
    bound = visible[at]
    uid = f"compaction_{bound.uid}" if isinstance(bound, Cover) else bound
    check_history(session, tree, leaf, visible[at + 1 :], after=uid)
    check_history(session, tree, leaf, visible[:at], before=uid)


def check_envelopes(session, tree, history):
    seqs: list[Any] = []
    for step, envelope in zip(
        history.steps, history_envelopes(session, history), strict=True
    ):
        uids = [uid_of(step.body)]
        if step.compaction:
            cover = next(c for c in tree.covers if c.uid == step.compaction.uid)
            uids = cover.covered
        else:
            seqs.append(envelope.seq)
            assert envelope.label == tree.labels.get(uids[0])
        place = tree.nodes[uids[0]]
        assert envelope.parent == place.parent
        assert envelope.depth == len(tree.path(place.uid)) - 1
        assert envelope.children == len(tree.children(uids[-1]))
    assert seqs == sorted(set(seqs))


def check_tree(session, tree, turn):
    assert [
        node.uid for node in leaves(session, before=None, limit=1000)
    ] == tree.leaves()
    assert [
        (run.first.uid, run.last.uid, run.parent, run.length, run.children)
        for run in runs(session)
    ] == list(tree.runs())
    if tree.nodes:
        uid = list(tree.nodes)[turn % len(tree.nodes)]
        found = [uid_of(body) for body in children(session, uid)]
        assert found == tree.children(uid)


def check_rows(session, tree):
    assert session.message_count == len(tree.nodes)
    assert (
        dict(Label.objects.filter(session=session).values_list("message__uid", "text"))
        == tree.labels
    )
    rows = Compaction.objects.filter(session=session).order_by("id")
    assert [
        (row.uid, row.first.uid, row.last.uid, row.state, row.summary)
        for row in rows.select_related("first", "last")
    ] == [
        (
            cover.uid,
            cover.covered[0],
            cover.covered[-1],
            "active" if cover.active else "disabled",
            cover.summary,
        )
        for cover in tree.covers
    ]
    used = session.usage_rows.order_by("id").values_list("message__uid", flat=True)
    assert list(used) == tree.usage
    assert session.input_tokens == len(tree.usage)


def ancestors(messages, message):
    while message.parent_id is not None:
        message = messages[message.parent_id]
        yield message.id


def check_links(messages):
    for message in messages.values():
        above = list(ancestors(messages, message))
        assert message.parent_id is None or message.parent_id < message.id
        assert message.skip is None or message.skip in above
        assert message.depth == len(above)
        assert message.path_tokens == message.tokens + sum(
            messages[id_].tokens for id_ in above
        )


def check_climbs(messages, random):
    if not messages:
        return
    for _ in range(20):
        low = messages[random.choice(list(messages))]
        path = [low.id, *ancestors(messages, low)]
        high = random.choice([*path, random.choice(list(messages))])
        assert is_on_path(high, low.id) == (high in path)
        below = path[path.index(high) - 1] if high in path[1:] else None
        found = sql.first(climbs.CHILD_TOWARDS, message=high, descendant=low.id)
        assert found == (below and (below,))


def check_index(messages):
    assert {
        (document.ref, document.session_id, document.text)
        for document in SearchDocument.objects.all()
    } == {
        (message.id, message.session_id, search_text(parse_body(message.body)))
        for message in messages.values()
    }
    assert (missing(), orphans()) == (0, 0)
    backend().check()
