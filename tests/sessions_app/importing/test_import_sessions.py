from __future__ import annotations

import shutil
from decimal import Decimal
from io import StringIO
from pathlib import Path

import orjson
import pytest
from django.core.management import CommandError, call_command
from django.db.models import F

from sessions_app.messages import parse_body
from sessions_app.models import Agent, Compaction, Label, Message, Session, Usage
from sessions_app.search import documents
from sessions_app.services.compaction.overlays import update_compaction
from sessions_app.services.spend.usage import to_nanos
from tests.builders import fresh, head, say, seen

pytestmark = pytest.mark.django_db

OASST, OLD, TREE = (
    str(Path("tests/data") / name)
    for name in ("oasst.jsonl", "pi-v1.jsonl", "pi-v3.jsonl")
)
TREE_KEY = "pi:5b0c1c0e-0000-4000-8000-000000000003"
HISTORY = "C[Beans are in row 1.] user0002"


def run(*arguments, **options):
    out = StringIO()
    call_command("import_sessions", *arguments, stdout=out, stderr=out, **options)
    return out.getvalue()


def everything():
    """Return all that is stored, to be compared."""
    return [
        [*each.objects.order_by("id").values()]
        for each in (Agent, Session, Message, Usage, Compaction, Label)
    ]


@pytest.fixture
def garden():
    run(TREE)
    return Session.objects.get(key=TREE_KEY)


def test_it_imports_trees():
    report = run(OASST)

    assert "messages       49 (49 new, 0 there before)" in report
    assert "branch points  13" in report
    assert Session.objects.count() == 4
    assert Message.objects.count() == 49
    assert documents.missing() == 0
    assert Agent.objects.get().name == "default"


def test_the_head_of_a_tree_is_the_end_of_the_best_path():
    run(OASST)

    eyes = Session.objects.get(name__startswith="How to protect my eyes")
    last = eyes.messages.get(uid=head(eyes))
    assert not last.replies.exists()
    while last.parent:
        assert parse_body(last.body)["metadata"]["oasst"].get("rank") in (0, None)
        last = last.parent


def test_it_imports_a_linear_session():
    report = run(OLD)

    session = Session.objects.get()
    assert session.message_count == 45
    assert head(session) == session.messages.latest("depth").uid
    assert "settings       3" in report
    assert session.model == "claude-sonnet-4-5"
    assert session.created_at == Message.objects.earliest("id").created_at


def test_the_cost_is_that_of_the_file():
    lines = Path(OLD).read_text().splitlines()
    messages = [orjson.loads(line).get("message", {}) for line in lines]
    costs = [
        Decimal(str(m["usage"]["cost"]["total"])) for m in messages if "usage" in m
    ]

    run(OLD)

    session = Session.objects.get()
    rows = Usage.objects.filter(session=session)
    assert rows.count() == len(costs) == 22
    assert session.cost_nanos == sum(map(to_nanos, costs))
    assert sum(row.cost_nanos or 0 for row in rows) == session.cost_nanos
    assert session.output_tokens == sum(row.output_tokens for row in rows)
    assert {row.purpose for row in rows} == {"import"}
    assert not rows.exclude(message__created_at=F("created_at")).exists()


def test_a_tree_with_compactions_reads_as_in_pi(garden):
    assert seen(garden) == f"{HISTORY} bran0001 cmsg0001 user0004 asst0006"
    assert seen(garden, "asst0005") == (
        "C[Beans are in row 1, peas are not planned.] user0003 asst0005"
    )
    assert garden.updated_at == garden.messages.get(uid="asst0006").created_at
    assert garden.updated_at.isoformat() == "2026-03-01T09:11:30+00:00"
    assert Label.objects.get().text == "beans found"
    assert {c.method for c in garden.compactions.all()} == {"import"}


@pytest.mark.parametrize("file", [OASST, OLD, TREE])
def test_again_changes_nothing(file):
    run(file)
    before = everything()

    report = run(file)

    assert everything() == before
    assert "(0 new" in report


def test_a_file_that_grew_adds_what_is_new(tmp_path):
    part = tmp_path / "part.jsonl"
    lines = Path(TREE).read_bytes().splitlines(keepends=True)
    part.write_bytes(b"".join(lines[:14]))
    run(str(part))
    session = Session.objects.get()
    assert head(session) == "tool0002"

    report = run(TREE)

    assert "messages       16 (7 new, 9 there before)" in report
    assert seen(session) == f"{HISTORY} bran0001 cmsg0001 user0004 asst0006"
    assert fresh(session).cost_nanos == to_nanos(Decimal("0.0028"))
    assert [each["id"] for each in fresh(session).metadata["pi"]["entries"]] == [
        "set00003"
    ]


def test_what_was_done_here_stays(garden, tmp_path):
    say(garden, "mine")
    compaction = garden.compactions.order_by("id").first()
    update_compaction(session=garden, uid=compaction.uid, summary="Better")
    longer = tmp_path / "longer.jsonl"
    entry = {"type": "message", "id": "more", "parentId": "asst0006"}
    message = {"role": "user", "content": "more"}
    longer.write_bytes(
        Path(TREE).read_bytes() + orjson.dumps({**entry, "message": message})
    )

    run(str(longer))

    assert head(garden) == "mine"
    assert seen(garden).startswith("C[Better] user0002")
    assert seen(garden, "more").endswith("asst0006 more")


def test_a_copy_of_a_conversation_is_not_paid_twice(tmp_path):
    copy = tmp_path / "copy.jsonl"
    text = Path(TREE).read_text().replace("000000000003", "000000000004")
    copy.write_text(text)

    report = run(TREE, str(copy))

    assert Session.objects.count() == 2
    assert Usage.objects.count() == 6
    assert "usage rows     6 (0 new, 6 there before)" in report


def test_a_dry_run_writes_nothing():
    before = everything()

    report = run(OASST, OLD, TREE, dry_run=True)

    assert "messages       49 (49 new, 0 there before)" in report
    assert "compactions    2 (2 new, 0 there before)" in report
    assert everything() == before


def test_it_makes_the_agent():
    run(TREE, agent="gardener")

    assert Session.objects.get().agent.name == "gardener"


def test_bad_lines_are_reported_with_their_numbers(tmp_path):
    broken = tmp_path / "broken.jsonl"
    shutil.copy(TREE, broken)
    with broken.open("ab") as file:
        file.write(b'{"type":"message","id":"half\n')

    report = run(str(broken))

    assert "problems       1\n    line 26: is not valid JSON" in report
    assert Session.objects.get().message_count == 16


def test_a_nul_is_stored_where_a_database_can(tmp_path):
    file = tmp_path / "nul.jsonl"
    text = Path(TREE).read_text()
    for word in (
        "The garden",
        "beans found",
        "Beans are",
        "/home/ada",
        "Where do",
        "high",
    ):
        text = text.replace(word, "\\u0000" + word)
    file.write_text(text)

    report = run(str(file))

    session = Session.objects.get()
    assert "problems       0" in report
    assert session.name == "\ufffdThe garden"
    assert r"\u0000Where do" in session.messages.get(uid="user0001").body


def test_one_conversation_is_left_out_whole_and_the_others_go_in(tmp_path):
    file = tmp_path / "long.jsonl"
    lines = Path(OASST).read_bytes().splitlines(keepends=True)
    tree = orjson.loads(lines[0]) | {"message_tree_id": "x" * 200}
    file.write_bytes(orjson.dumps(tree) + b"\n" + b"".join(lines[1:]))

    report = run(str(file))

    assert "line 1: the conversation was left out: id: longer than 200" in report
    assert Session.objects.count() == 3


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file"),
        (b"", "It is empty"),
        (b"Dear diary\n", "no format that we know"),
        (b'{"role":"user"}\n', "no format that we know"),
    ],
)
def test_a_file_that_cannot_be_read_fails_and_the_others_go_in(
    tmp_path, content, reason
):
    file = tmp_path / "file"
    if content is not None:
        file.write_bytes(content)
    out = StringIO()

    with pytest.raises(CommandError, match="1 of 2 files could not be imported"):
        call_command("import_sessions", str(file), TREE, stdout=out, stderr=out)

    assert reason in out.getvalue()
    assert Session.objects.get().message_count == 16


def test_a_format_can_be_named(tmp_path):
    report = run(TREE, format="oasst")

    assert "oasst" in report
    assert "line 1: is not a tree" in report
    assert not Session.objects.exists()


def test_an_agents_name_is_checked():
    with pytest.raises(CommandError, match="--agent: must not be empty"):
        run(TREE, agent=" ")
