"""
The whole domain against the naive model, with undoing.

Where nothing has happened since, what is undone has to be as it was. Otherwise the
model is read anew: then the rest must still agree, as must all other sessions.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from sessions_app import sql
from sessions_app.messages import read_message
from sessions_app.models import Compaction, Label, Message, Session
from sessions_app.services.undoing.changes import (
    changes_of,
    forget_changes,
    undo_change,
)
from sessions_app.services.undoing.restoring import UndoConflict
from sessions_app.sql.trees import NODES
from tests.sessions_app.naive import Cover, Node, Tree
from tests.sessions_app.test_forest import TEXTS, Forest


def tree_of(session: Session) -> Tree:
    """Return the naive model of a session as the database has it."""
    ids = {row[0] for row in sql.rows(NODES, session=session.id)}
    messages = Message.objects.in_bulk(ids)
    tree = Tree()
    for id_ in sorted(ids):
        message = messages[id_]
        parent = messages[message.parent_id].uid if message.parent_id else None
        draft = read_message(message.body.encode(), "message")
        tree.nodes[message.uid] = Node(message.uid, parent, draft)
    tree.head = messages[session.head_id].uid if session.head_id else None
    rows = Compaction.objects.filter(session=session).order_by("id")
    for row in rows.select_related("first", "last"):
        path = tree.path(row.last.uid)
        covered = path[path.index(row.first.uid) :]
        active = row.state == "active"
        tree.covers.append(Cover(row.uid, covered, row.summary, active))
    labels = Label.objects.filter(session=session)
    tree.labels = dict(labels.values_list("message__uid", "text"))
    used = session.usage_rows.order_by("id").values_list("message__uid", flat=True)
    tree.usage = list(used)
    return tree


class Undoing(Forest):
    def __init__(self):
        super().__init__()
        self.seen: dict[str, Tree] = {}
        # The trees before and after each change, by its primary key.
        self.around: dict[int, tuple[Tree, Tree]] = {}
        self.noted: set[int] = set()

    def undoable(self, session: Session) -> list[int]:
        open_ = changes_of(session).filter(undone_at=None)
        return list(open_.values_list("id", flat=True))

    def has_changes(self) -> bool:
        return bool(self.noted)

    @invariant()
    def note_changes(self):
        """Note what is around a change, where a step has made no other."""
        for key, tree in self.trees.items():
            changes = changes_of(self.session(key)).values_list("id", flat=True)
            new = [each for each in changes if each not in self.noted]
            if len(new) == 1 and key in self.seen:
                self.around[new[0]] = self.seen[key], deepcopy(tree)
            self.noted.update(new)
        self.seen = deepcopy(self.trees)

    @precondition(Forest.has_messages)
    @rule(data=st.data(), text=TEXTS, mode=st.sampled_from(["reparent", "subtree"]))
    def change_and_undo(self, data, text, mode):
        """What is undone, in whatever order, is likely in the way of another."""
        for _ in range(data.draw(st.integers(1, 3), label="changes")):
            if self.has_messages():
                self.delete(data=data, mode=mode)
                self.note_changes()
        if self.has_messages():
            self.edit(data=data, text=text, role="user")
            self.note_changes()
        if data.draw(st.booleans(), label="in order"):
            self.undo_last(data=data, times=3)
        else:
            self.undo_any(data=data)

    @precondition(has_changes)
    @rule(data=st.data(), times=st.integers(1, 3))
    def undo_last(self, data, times):
        session, _ = self.choose_changed(data)
        for change in self.undoable(session)[:times]:
            before, after = self.around.get(change, (None, None))
            if before is not None and after == self.trees[session.key]:
                undo_change(session=session, change=change)
                self.trees[session.key] = deepcopy(before)
                self.note_changes()
            else:
                self.try_to_undo(session, change)

    @precondition(has_changes)
    @rule(data=st.data())
    def undo_any(self, data):
        session, _ = self.choose_changed(data)
        changes = self.undoable(session)
        some = (
            st.lists(st.sampled_from(changes), max_size=4, unique=True)
            if changes
            else st.just([])
        )
        for change in data.draw(some, label="changes"):
            self.try_to_undo(session, change)

    @precondition(has_changes)
    @rule(data=st.data(), sure=st.integers(0, 4))
    def forget(self, data, sure):
        session, _ = self.choose_changed(data)
        if not sure:
            forget_changes(session=session)

    def choose_changed(self, data: Any) -> tuple[Session, Tree]:
        """Choose a session; one with changes, if any has."""
        keys = [key for key in self.trees if self.undoable(self.session(key))]
        key = data.draw(st.sampled_from(keys or list(self.trees)), label="session")
        return self.session(key), self.trees[key]

    def try_to_undo(self, session: Session, change: int) -> None:
        try:
            undo_change(session=session, change=change)
        except UndoConflict:
            return
        self.trees[session.key] = tree_of(self.session(session.key))
        self.note_changes()


@pytest.mark.slow
@pytest.mark.django_db
def test_undoing_in_a_forest():
    run_state_machine_as_test(
        Undoing,
        settings=settings(
            max_examples=settings().max_examples // 4,
            stateful_step_count=40,
            suppress_health_check=list(HealthCheck),
        ),
    )
