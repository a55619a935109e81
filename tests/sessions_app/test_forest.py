"""
The whole domain against a naive model: whatever is done, in whatever order, the
database and the model tell the same, and nothing in the database is out of place.

For longer, and other examples in each run: pytest --hypothesis-profile=long
"""

from __future__ import annotations

from contextlib import nullcontext
from random import Random
from typing import Any

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from msgspec import UNSET

from sessions_app.messages import parse_body
from sessions_app.models import Message, Session
from sessions_app.services.compaction.overlays import (
    BadRange,
    Overlap,
    add_compaction,
    delete_compaction,
    update_compaction,
)
from sessions_app.services.forest.creating import create_session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.agents import create_agent
from sessions_app.services.registry.sessions import (
    check_out,
    clear_session,
    delete_session,
    split_session,
)
from sessions_app.services.spend.usage import Tokens, add_usage
from sessions_app.services.writing.appending import append_messages
from sessions_app.services.writing.conflicts import HeadMoved, UnknownParent
from sessions_app.services.writing.deleting import delete_messages
from sessions_app.services.writing.editing import put_message, set_label
from tests.builders import draft
from tests.sessions_app.agreement import (
    check_climbs,
    check_histories,
    check_index,
    check_links,
    check_rows,
    check_tree,
)
from tests.sessions_app.naive import Cover, Tree

# Few enough that sessions often have messages of the same id, and none in common.
UIDS = st.sampled_from("abcdefghijkl")
TEXTS = st.sampled_from(["", "one", "two words", "three words here", "部署在星期五"])
SUMMARIES = TEXTS.filter(str.strip)
ECHO = "compaction_00000000-0000-0000-0000-000000000000"
BATCHES = st.lists(
    st.tuples(UIDS | st.none() | st.just(ECHO), TEXTS),
    min_size=1,
    max_size=5,
    unique_by=lambda item: item[0] or object(),
)
MOST_SESSIONS = 6
MOST_MESSAGES = 200


class Forest(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        # Undone in the end, so that each example begins with nothing.
        self.transaction = transaction.atomic()
        self.transaction.__enter__()
        self.agent = create_agent("support")
        self.trees: dict[str, Tree] = {}
        self.steps = 0
        self.made = 0

    def teardown(self):
        transaction.set_rollback(True)
        self.transaction.__exit__(None, None, None)

    def session(self, key: str) -> Session:
        return Session.objects.get(agent=self.agent, key=key)

    def new_key(self) -> str:
        self.made += 1
        return f"s{self.made}"

    def new_uid(self) -> str:
        self.made += 1
        return f"n{self.made}"

    def choose(self, data: Any, *, full: bool = False) -> tuple[Session, Tree]:
        """Choose a session; a full one has messages, if any has."""
        keys = [key for key, tree in self.trees.items() if tree.nodes or not full]
        key = data.draw(st.sampled_from(keys or list(self.trees)), label="session")
        return self.session(key), self.trees[key]

    def message(self, data: Any, tree: Tree) -> Any:
        return data.draw(st.sampled_from(list(tree.nodes)), label="message")

    def has_messages(self) -> bool:
        return any(tree.nodes for tree in self.trees.values())

    def has_compactions(self) -> bool:
        return any(tree.covers for tree in self.trees.values())

    def has_room(self) -> bool:
        return len(self.trees) < MOST_SESSIONS

    # What may be done

    @initialize()
    def begin(self):
        """Begin with one session that has something to branch, compact and fork."""
        self.create()
        self.add_talk("s1", 6)

    @precondition(has_room)
    @rule()
    def create(self):
        key = self.new_key()
        create_session(agent=self.agent, key=key)
        self.trees[key] = Tree()

    @rule(data=st.data(), count=st.integers(2, 20))
    def talk(self, data, count):
        """A longer conversation, after the head."""
        session, _ = self.choose(data)
        if sum(len(each.nodes) for each in self.trees.values()) <= MOST_MESSAGES:
            self.add_talk(session.key, count)

    def add_talk(self, key: str, count: int) -> None:
        session, tree = self.session(key), self.trees[key]
        drafts = [draft("talk", self.new_uid()) for _ in range(count)]

        append_messages(session_id=session.id, drafts=drafts)

        for each in drafts:
            tree.head = tree.add(each, tree.head)

    @rule(data=st.data(), batch=BATCHES)
    def append(self, data, batch):
        session, tree = self.choose(data)
        known = st.sampled_from([None, *self.known(tree)])
        parent = data.draw(st.just(UNSET) | known, label="parent")

        self.send(session, tree, batch, parent=parent)

    @rule(
        data=st.data(),
        batch=BATCHES,
        on_conflict=st.sampled_from(["reject", "branch", "append"]),
    )
    def append_expecting(self, data, batch, on_conflict):
        session, tree = self.choose(data)
        places = st.sampled_from(
            [None, "unknown", "compaction_unknown", *self.known(tree), tree.head]
        )
        parent = data.draw(st.just(UNSET) | places, label="parent")
        expected = data.draw(places, label="expected_head")

        self.send(
            session,
            tree,
            batch,
            parent=parent,
            expected_head=expected,
            on_conflict=on_conflict,
        )

    def known(self, tree: Tree) -> list[str]:
        return [*tree.nodes, *(f"compaction_{cover.uid}" for cover in tree.covers)]

    def send(self, session: Session, tree: Tree, batch: Any, **options: Any) -> None:
        drafts = [draft(text, uid) for uid, text in batch]
        new = [d for d in drafts if d.uid not in tree.nodes and not d.is_reserved]
        error, base = self.base(tree, **options) if new else (None, None)

        with pytest.raises(error) if error else nullcontext():
            done = append_messages(session_id=session.id, drafts=drafts, **options)
        if error:
            return

        statuses = []
        for each, receipt in zip(drafts, done.receipts, strict=True):
            status = "dropped"
            if not each.is_reserved:
                status = "existing" if each.uid in tree.nodes else "created"
                if status == "created":
                    tree.head = tree.add(each, base)
                base = receipt.uid
                assert receipt.uid == each.uid
                assert receipt.depth == len(tree.path(base)) - 1
                assert receipt.tokens == tree.nodes[base].draft.tokens
            statuses.append(status)
        assert [receipt.status for receipt in done.receipts] == statuses
        assert done.head == tree.head
        assert done.context_tokens == tree.tokens(tree.head)

    def base(self, tree, parent, expected_head=UNSET, on_conflict="reject"):
        """Return the error to be expected, or None and what the batch is to follow."""
        base = tree.head
        if expected_head is not UNSET:
            place = tree.place(expected_head) if expected_head else None
            gone = expected_head is not None and place is None
            moved = gone or place != tree.head
            if moved and on_conflict == "reject":
                return HeadMoved, None
            if moved and gone and on_conflict == "branch":
                return HeadMoved, None
            if on_conflict == "branch":
                base = place
        if parent is not UNSET:
            base = tree.place(parent) if parent else None
            if parent is not None and base is None:
                return UnknownParent, None
        return None, base

    @precondition(has_messages)
    @precondition(has_room)
    @rule(data=st.data())
    def fork(self, data):
        session, tree = self.choose(data, full=True)
        at = data.draw(st.none() | st.sampled_from(list(tree.nodes)), label="at")
        key = self.new_key()

        fork_session(session=session, at=at, key=key)

        self.trees[key] = tree.fork(at or tree.head)

    @precondition(has_messages)
    @rule(data=st.data())
    def check_out(self, data):
        session, tree = self.choose(data, full=True)
        uid = self.message(data, tree)

        check_out(session=session, uid=uid)

        tree.head = uid

    @precondition(has_messages)
    @rule(data=st.data(), text=TEXTS, role=st.sampled_from(["user", "tool"]))
    def edit(self, data, text, role):
        session, tree = self.choose(data, full=True)
        written = draft(text, self.message(data, tree), role)

        message, new = put_message(session=session, draft=written)

        assert (message.body, new) == (written.body, False)
        tree.nodes[message.uid].draft = written

    @rule(data=st.data(), uid=UIDS, text=TEXTS)
    def put(self, data, uid, text):
        session, tree = self.choose(data)
        written = draft(text, uid)

        _, new = put_message(session=session, draft=written)

        assert new == (uid not in tree.nodes)
        if new:
            tree.add(written, tree.head)
            tree.head = uid
        else:
            tree.nodes[uid].draft = written

    @precondition(has_messages)
    @rule(data=st.data(), mode=st.sampled_from(["reparent", "subtree"]))
    def delete(self, data, mode):
        session, tree = self.choose(data, full=True)
        known = st.sampled_from(["unknown", *tree.nodes])
        uids = data.draw(st.lists(known, min_size=1, max_size=3), label="uids")

        deleted = delete_messages(session=session, uids=uids, mode=mode)

        assert deleted == sum(
            tree.delete(uid, mode) for uid in uids if uid in tree.nodes
        )

    @precondition(has_messages)
    @rule(data=st.data(), summary=SUMMARIES)
    def compact(self, data, summary):
        session, tree = self.choose(data, full=True)
        path = tree.path(self.message(data, tree))
        first, last = self.message(data, tree), path[-1]
        if data.draw(st.booleans(), label="in order"):
            first = data.draw(st.sampled_from(path), label="first")
        covered = path[path.index(first) :] if first in path else None
        error: type[Exception] | None = None
        if covered is None:
            error = BadRange
        elif tree.refuses(covered):
            error = Overlap

        with pytest.raises(error) if error else nullcontext():
            made = add_compaction(
                session=session, summary=summary, first=first, last=last
            )
        if covered and not error:
            assert made.tokens_before == sum(
                tree.nodes[uid].draft.tokens for uid in covered
            )
            tree.covers.append(Cover(made.uid, covered, summary))

    def choose_cover(self, data) -> tuple[Session, Tree, Cover]:
        keys = [key for key, tree in self.trees.items() if tree.covers]
        key = data.draw(st.sampled_from(keys), label="session")
        tree = self.trees[key]
        number = data.draw(st.integers(0, len(tree.covers) - 1), label="compaction")
        return self.session(key), tree, tree.covers[number]

    @precondition(has_compactions)
    @rule(data=st.data())
    def switch(self, data):
        session, tree, cover = self.choose_cover(data)
        refused = not cover.active and tree.refuses(cover.covered, cover)
        state = "disabled" if cover.active else "active"

        with pytest.raises(Overlap) if refused else nullcontext():
            update_compaction(session=session, uid=cover.uid, state=state)
        if not refused:
            cover.active = not cover.active

    @precondition(has_compactions)
    @rule(data=st.data(), summary=SUMMARIES)
    def rewrite(self, data, summary):
        session, _, cover = self.choose_cover(data)

        update_compaction(session=session, uid=cover.uid, summary=summary)

        cover.summary = summary

    @precondition(has_compactions)
    @rule(data=st.data())
    def uncover(self, data):
        session, tree, cover = self.choose_cover(data)

        delete_compaction(session=session, uid=cover.uid)

        tree.covers.remove(cover)

    @precondition(has_messages)
    @rule(data=st.data(), text=st.sampled_from(["draft", "final", None]))
    def label(self, data, text):
        session, tree = self.choose(data, full=True)
        uid = self.message(data, tree)

        set_label(session=session, uid=uid, text=text)

        tree.labels.pop(uid, None)
        if text:
            tree.labels[uid] = text

    @precondition(has_messages)
    @rule(data=st.data())
    def spend(self, data):
        session, tree = self.choose(data, full=True)
        uid = self.message(data, tree)

        add_usage(session=session, tokens=Tokens(1, 1), message=uid)

        tree.usage.append(uid)

    @precondition(has_room)
    @rule(data=st.data())
    def split(self, data):
        session, _ = self.choose(data)

        successor = split_session(session=session, summary="What was said")

        head = successor.head
        assert head is not None
        session = Session.objects.get(id=session.id)
        assert (session.end_reason, successor.parent_session) == ("compaction", session)
        self.trees[successor.key] = Tree()
        self.trees[successor.key].add(draft_of(head), None)
        self.trees[successor.key].head = head.uid

    @precondition(lambda self: len(self.trees) > 2)
    @rule(data=st.data())
    def clear(self, data):
        session, tree = self.choose(data)

        assert clear_session(session=session) == tree.clear()

    @precondition(lambda self: len(self.trees) > 2)
    @rule(data=st.data())
    def delete_session(self, data):
        session, _ = self.choose(data)

        delete_session(session=session)

        del self.trees[session.key]

    # What must hold

    @invariant()
    def sessions_agree(self):
        self.steps += 1
        for key, tree in self.trees.items():
            session = self.session(key)
            check_histories(session, tree, self.steps)
            check_tree(session, tree, self.steps)
            check_rows(session, tree)

    @invariant()
    def database_is_sound(self):
        messages = {message.id: message for message in Message.objects.all()}
        check_links(messages)
        check_climbs(messages, Random(self.steps))
        check_index(messages)
        connection.check_constraints()


def draft_of(message):
    text = parse_body(message.body)["parts"][0]["text"]
    return draft(text, message.uid, message.role)


@pytest.mark.django_db
def test_forest():
    run_state_machine_as_test(
        Forest,
        settings=settings(
            max_examples=settings().max_examples // 2,
            stateful_step_count=40,
            suppress_health_check=list(HealthCheck),
        ),
    )
