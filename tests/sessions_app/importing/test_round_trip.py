"""What is exported comes back as it was, on a server that has never seen it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils.timezone import now

from context_app.authors import Author
from context_app.models import Block, Entry, Prompt, Version
from context_app.services.creating import create_block
from context_app.services.entries import set_entry
from context_app.services.prompts import freeze_prompt
from sessions_app.models import Agent, Compaction, Label, Message, Session, Usage
from sessions_app.search import documents
from sessions_app.services.compaction.overlays import update_compaction
from sessions_app.services.exporting import export_session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.importing.files import import_file
from sessions_app.services.registry.agents import create_agent, delete_agent
from sessions_app.services.registry.sessions import delete_session
from sessions_app.services.spend.usage import Tokens, add_usage
from sessions_app.services.writing.editing import set_label
from tests.builders import append, compact, draft, fresh, say, seen

pytestmark = pytest.mark.django_db

OWN_KEYS = ("id", "pk", "session_id", "agent_id", "message_id", "block_id")


def rows(model, **where):
    """Return a table without the keys that only this database knows."""
    return [
        {k: v for k, v in row.items() if k not in OWN_KEYS and not k.endswith("_id")}
        for row in model.objects.filter(**where).order_by("id").values()
    ]


def everything(session):
    """Return all that is known of a session, by the names that the outside knows."""
    return {
        "session": {
            k: v for k, v in rows(Session, id=session.id)[0].items() if k != "skip"
        },
        "head": session.head and session.head.uid,
        "messages": [
            (
                m.uid,
                m.parent and m.parent.uid,
                m.depth,
                m.path_tokens,
                m.created_at,
                m.body,
            )
            for m in Message.objects.filter(session=session).order_by("id")
        ],
        "labels": sorted(
            Label.objects.filter(session=session).values_list("message__uid", "text")
        ),
        "compactions": [
            (row, c.first.uid, c.last.uid)
            for row, c in zip(
                rows(Compaction, session=session),
                session.compactions.order_by("id"),
                strict=True,
            )
        ],
        # The ledger's own order is that of its days' totals.
        "usage": sorted(
            str((usage.message and usage.message.uid, row))
            for row, usage in zip(
                rows(Usage, session=session),
                session.usage_rows.order_by("id"),
                strict=True,
            )
        ),
        "blocks": rows(Block, session=session),
        "entries": rows(Entry, block__session=session),
        "versions": rows(Version, block__session=session),
        "prompts": rows(Prompt, session=session),
    }


def exported(session, path):
    path.write_bytes(b"".join(export_session(fresh(session))))
    return path


def import_into(path, name="elsewhere", **options):
    return import_file(path, agent_name=name, **options)


@pytest.fixture
def rich(session):
    """A session with everything that a session can have."""
    Session.objects.filter(id=session.id).update(
        name="Trip <b>",
        metadata={"big": 2**60, "é": [1.5]},
        kv_cap=7,
        end_reason="done",
    )
    say(session, "m1")
    append(session, draft("two", "m2"), draft("three", "m3"))
    append(
        session,
        draft("another", "m2b", role="assistant", extra=12345678901234567890),
        parent="m1",
    )
    append(session, draft("x", "m4"), parent="m3")
    Message.objects.filter(uid="m4").update(
        body='{"id": "m4",\n "role": "user", "parts": [{"type":"text","text":"x"}]}'
    )
    set_label(session=session, uid="m2b", text="try two")
    off = compact(session, "m1", "m2", "off")
    update_compaction(session=session, uid=off.uid, state="disabled")
    compact(session, "m2", "m3", "on", method="extractive", cost_nanos=5)
    add_usage(session=session, tokens=Tokens(input_tokens=5), message="m3", model="x")
    add_usage(session=session, tokens=Tokens(input_tokens=5), message="m3", model="x")
    add_usage(session=session, tokens=Tokens(output_tokens=9), response_id="r1")
    author = Author("test")
    create_block(owner=session, label="memory", content="Beans", author=author)
    create_block(owner=session, label="notes", kind="skill", author=author)
    block = Block.objects.get(label="notes")
    set_entry(block=block, key="a/b", content="peas", description="d", author=author)
    freeze_prompt(session=session)
    return fresh(session)


def test_a_session_comes_back_as_it_was(rich, tmp_path):
    path = exported(rich, tmp_path / "one.jsonl")
    before = everything(fresh(rich))
    delete_agent(agent=rich.agent)

    report = import_into(path)

    assert report.problems == []
    assert report.keys == ["trip"]
    back = Session.objects.get()
    after = everything(back)
    for part, was in before.items():
        assert after[part] == was, part
    assert back.agent.name == "elsewhere"
    assert seen(back) == "m1 C[on] m4"
    assert documents.missing() == documents.orphans() == 0


def test_the_export_of_an_import_is_the_same(rich, tmp_path):
    first = exported(rich, tmp_path / "one.jsonl").read_bytes()
    import_into(tmp_path / "one.jsonl")

    again = exported(Session.objects.latest("id"), tmp_path / "two.jsonl").read_bytes()

    renamed = first.replace(b'"agent":"support"', b'"agent":"elsewhere"')
    assert sorted(again.splitlines()) == sorted(renamed.splitlines())


def test_again_changes_nothing(rich, tmp_path):
    path = exported(rich, tmp_path / "one.jsonl")
    import_into(path)
    back = Session.objects.latest("id")
    before = everything(back)

    counts = import_into(path).counts

    assert everything(fresh(back)) == before
    assert not counts.has_news
    assert (counts.sessions, counts.messages, counts.usage) == (1, 5, 3)


def test_where_it_came_from_it_changes_nothing(rich, tmp_path):
    path = exported(rich, tmp_path / "one.jsonl")
    before = everything(fresh(rich))

    assert not import_into(path, "support").counts.has_news

    assert everything(fresh(rich)) == before


@pytest.mark.parametrize("trashed", [True, False])
def test_what_was_deleted_comes_back_and_counts_once(rich, tmp_path, trashed):
    path = exported(rich, tmp_path / "one.jsonl")
    rows = Usage.objects.count()
    if trashed:
        Session.objects.update(trashed_at=now())
    else:
        delete_session(session=rich)

    counts = import_into(path, "support").counts

    back = Session.objects.get(key="trip", trashed_at=None)
    assert (counts.new_sessions, counts.new_messages, counts.new_usage) == (1, 5, 0)
    assert Usage.objects.count() == rows
    assert back.calls == 3
    assert {u.message and u.message.uid for u in back.usage_rows.all()} == {"m3", None}


def test_a_fork_takes_along_what_it_shares(rich, tmp_path):
    fork = fork_session(session=rich, at="m3", key="fork")
    say(fork, "f1")
    path = exported(fork, tmp_path / "fork.jsonl")
    delete_agent(agent=rich.agent)

    assert import_into(path).problems == []

    back = Session.objects.get()
    assert seen(back) == "m1 C[on] f1"
    assert back.fork_point is None
    assert seen(back, raw=True) == "m1 m2 m3 f1"


def test_a_dry_run_leaves_nothing(rich, tmp_path):
    path = exported(rich, tmp_path / "one.jsonl")

    counts = import_into(path, dry_run=True).counts

    assert counts.new_sessions == 1
    assert Session.objects.count() == 1
    assert not Agent.objects.filter(name="elsewhere").exists()


def test_a_template_does_not_stand_beside_the_blocks_of_the_file(rich, tmp_path):
    path = exported(rich, tmp_path / "one.jsonl")
    other = create_agent("elsewhere")
    create_block(owner=other, label="memory", content="T", author=Author("t"))

    assert import_into(path).problems == []

    back = Session.objects.get(agent=other)
    assert Block.objects.get(session=back, label="memory").content == "Beans"


def test_a_shared_block_is_not_hidden(rich, tmp_path):
    path = exported(rich, tmp_path / "one.jsonl")
    other = create_agent("elsewhere")
    create_block(
        owner=other, label="memory", content="T", shared=True, author=Author("t")
    )

    problems = import_into(path).problems

    assert ["shares one" in problem.reason for problem in problems] == [True]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"type":"message","parent":null}', "created_at"),
        (b'{"type":"rocket"}', "unknown type"),
        (b'{"type":"block","label":"x","kind":"y"}', "left out"),
        (b'{"type":"block","label":"s","kind":"skill","source":"storage",'
         b'"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}',
         "reads files"),
        (b"nonsense", "JSON"),
    ],
)  # fmt: skip
def test_a_bad_line_costs_that_line(rich, tmp_path, line, reason):
    path = exported(rich, tmp_path / "one.jsonl")
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([*lines[:-1], line, lines[-1]]))

    report = import_into(path)

    assert [reason in problem.reason for problem in report.problems] == [True]
    assert report.counts.new_messages == 5


def test_a_file_that_was_cut_off_says_so(rich, tmp_path):
    path = exported(rich, tmp_path / "one.jsonl")
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join(lines[:4]))

    report = import_into(path)

    assert report.counts.new_messages == 3
    assert "cut off" in report.problems[0].reason


@pytest.mark.parametrize("file", ["oasst.jsonl", "pi-v1.jsonl", "pi-v3.jsonl"])
def test_what_was_imported_from_elsewhere_goes_the_round(file, tmp_path):
    call_command("import_sessions", str(Path("tests/data") / file), verbosity=0)
    path = tmp_path / "all.jsonl"
    with path.open("wb") as out:
        for session in Session.objects.order_by("id"):
            out.writelines(export_session(session))
    before = [everything(session) for session in Session.objects.order_by("id")]
    delete_agent(agent=Agent.objects.get())

    assert import_into(path).problems == []

    after = [everything(session) for session in Session.objects.order_by("id")]
    assert after == before
