"""Versions, entries, and blocks that were deleted, on the pages."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils.timezone import now

from context_app.models import Block, DeletedBlock, Entry, Version
from context_app.services.blocks import set_block
from context_app.services.creating import create_block
from context_app.services.deleted_blocks import purge_deleted_blocks
from context_app.services.reading import search_block
from sessions_app.models import Agent, Session
from sessions_app.services.registry.sessions import delete_session
from tests.blocks import KEY, OPERATOR, block, content, entry, fresh_block, history

EVIL = '<script>alert("x")</script>'


def page(client: Client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status
    return response.content.decode()


def written(session: Session, *texts: str) -> Block:
    made = block(session, content=texts[0])
    for text in texts[1:]:
        set_block(block=made, content=text, author=KEY)
    return made


def test_the_change_of_any_version_is_shown(viewer: Client, session: Session):
    written(session, "a b", "a c", "a d")
    address = f"/sessions/{session.pk}/blocks?block=memory"
    assert "<ins>d</ins>" in page(viewer, address)
    assert "<ins>c</ins>" in page(viewer, f"{address}&version=2")
    for odd in ("99", "x", "-1", "9" * 40):
        assert "<ins>d</ins>" in page(viewer, f"{address}&version={odd}")


def test_any_two_versions_are_compared(viewer: Client, session: Session):
    made = written(session, "a b", "a c", "a d")
    address = f"/blocks/{made.pk}/versions?in={session.pk}&from=1&to=3"
    shown = page(viewer, address)
    assert "Versions of memory" in shown
    assert "v1 → v3" in shown
    assert "<del>b</del>" in shown
    assert "<ins>d</ins>" in shown
    assert 'class="side"' in page(viewer, f"{address}&view=side")
    assert "v1 →" not in page(viewer, f"/blocks/{made.pk}/versions?from=1&to=77")


def test_versions_are_paged(viewer: Client, session: Session):
    made = written(session, *(str(number) for number in range(55)))
    address = f"/blocks/{made.pk}/versions"
    first = page(viewer, address)
    assert first.count('name="from"') == 50
    assert "below=6" in first
    rest = page(viewer, f"{address}?below=6")
    assert rest.count('name="from"') == 5
    assert "First version" in rest
    assert "Newest" in rest
    assert "All 55 versions" in page(viewer, f"/sessions/{session.pk}/blocks")


def test_a_revert_makes_a_new_version(operator: Client, session: Session):
    made = written(session, "one", "two")
    answer = operator.post(f"/blocks/{made.pk}/revert", {"version": 1})
    assert answer.status_code == 303
    assert history(made)[-1] == (3, "one", "operator oscar")
    # What is no version changes nothing, and says so.
    answer = operator.post(f"/blocks/{made.pk}/revert", {"version": 9}, follow=True)
    assert "No version 9" in answer.content.decode()
    assert fresh_block(made).version == 3


def test_a_block_is_made_here_and_its_form_is_kept(operator: Client, session: Session):
    address = f"/sessions/{session.pk}/blocks"
    given = {
        "label": "todo",
        "kind": "writable",
        "description": "What is to do",
        "max_tokens": "50",
        "content": "First.\r\nSecond.",
    }
    assert operator.post(address, given).status_code == 303
    made = Block.objects.get(session=session, label="todo")
    assert (made.content, made.max_tokens) == ("First.\nSecond.", 50)
    answer = operator.post(address, {**given, "content": EVIL})
    assert answer.status_code == 409
    shown = answer.content.decode()
    assert "already exists" in shown
    assert "&lt;script&gt;" in shown
    assert EVIL not in shown
    for wrong in ({"label": ""}, {"label": "x", "max_tokens": "many"}, {"kind": "odd"}):
        assert operator.post(address, {**given, **wrong}).status_code in (409, 422)


@pytest.mark.parametrize("scope", ["shared", "template"])
def test_a_block_of_an_agent_is_shared_or_a_template(
    operator: Client, agent: Agent, scope: str
):
    given = {"label": "soul", "kind": "readonly", "scope": scope}
    assert operator.post("/blocks?agent=support", given).status_code == 303
    assert Block.objects.get(agent=agent).shared == (scope == "shared")


def test_description_limit_and_position_are_changed(operator: Client, session: Session):
    made = block(session, content="Facts and more.", max_tokens=50)
    address = f"/blocks/{made.pk}/settings"
    given = {"description": "New", "max_tokens": "", "position": "7"}
    assert operator.post(address, given).status_code == 303
    changed = fresh_block(made)
    assert (changed.description, changed.max_tokens, changed.position) == (
        "New",
        None,
        7,
    )
    answer = operator.post(address, {**given, "max_tokens": "1"})
    assert answer.status_code == 422
    assert "exceeds maxTokens" in answer.content.decode()


def test_a_deleted_block_is_had_back_as_it_was(operator: Client, session: Session):
    made = block(session, "docs", kind="search", description="Notes")
    entry(made, "trip", "The train leaves at nine.")
    entry(made, "trip", "The train leaves at ten.")
    rows = [
        list(kind.objects.order_by("pk").values()) for kind in (Block, Entry, Version)
    ]
    asked = page(operator, f"/sessions/{session.pk}/blocks")
    assert "Delete docs with 3 versions and 1 entry?" in asked
    answer = operator.post(f"/blocks/{made.pk}/delete", follow=True)
    assert not Block.objects.exists()
    assert not Version.objects.exists()
    (aside,) = DeletedBlock.objects.all()
    undo = f"/deleted-blocks/{aside.pk}/restore"
    assert f'action="{undo}?in={session.pk}"' in answer.content.decode()
    assert operator.post(undo).status_code == 303
    assert rows == [
        list(kind.objects.order_by("pk").values()) for kind in (Block, Entry, Version)
    ]
    assert [each.key for each in search_block(fresh_block(made), "train")[0]] == [
        "trip"
    ]
    # A second time there is nothing to be had back.
    again = operator.post(f"{undo}?in={session.pk}", follow=True)
    assert "is back already" in again.content.decode()


def test_a_block_whose_label_is_taken_is_not_had_back(
    operator: Client, session: Session
):
    made = block(session, content="old")
    operator.post(f"/blocks/{made.pk}/delete")
    block(session, content="new")
    (aside,) = DeletedBlock.objects.all()
    answer = operator.post(f"/deleted-blocks/{aside.pk}/restore", follow=True)
    assert "already exists" in answer.content.decode()
    assert content(session) == "new"
    assert DeletedBlock.objects.exists()


def test_what_was_deleted_goes_after_a_month_and_with_its_session(
    operator: Client, session: Session
):
    for label in ("a", "b"):
        operator.post(f"/blocks/{block(session, label).pk}/delete")
    DeletedBlock.objects.filter(label="a").update(created_at=now() - timedelta(days=31))
    assert purge_deleted_blocks() == 1
    assert [each.label for each in DeletedBlock.objects.all()] == ["b"]
    delete_session(session=session)
    assert not DeletedBlock.objects.exists()


def test_entries_are_listed_searched_and_paged(viewer: Client, session: Session):
    made = block(session, "docs", kind="search")
    for number in range(30):
        entry(made, f"note {number}", f"text {number}")
    address = f"/sessions/{session.pk}/blocks?block=docs"
    first = page(viewer, address)
    assert "More entries" in first
    assert "note 24" in first
    assert "note 25" not in first
    assert "note 7" in page(viewer, f"{address}&q=TEXT+7")
    assert "No entry matches “zzz”" in page(viewer, f"{address}&q=zzz")
    assert "There is no entry “gone”" in page(viewer, f"{address}&entry=gone")


def test_an_entry_is_written_changed_and_deleted(operator: Client, session: Session):
    made = block(session, "skills", kind="skill")
    address = f"/blocks/{made.pk}/entries"
    given = {"key": "deploy", "description": "How", "content": "Run.", "version": 0}
    assert operator.post(f"{address}/save", given).status_code == 303
    assert history(made, "deploy") == [(1, "Run.", "operator oscar")]
    # It is there now: a second one that adds it is not written over it.
    answer = operator.post(f"{address}/save", {**given, "content": f"Mine {EVIL}"})
    assert answer.status_code == 409
    assert "\nMine &lt;script&gt;" in answer.content.decode()
    changed = {**given, "content": "Run it.", "version": 1}
    assert operator.post(f"{address}/save", changed).status_code == 303
    shown = operator.post(f"{address}/delete", {"key": "deploy"}, follow=True)
    undo = f"/blocks/{made.pk}/revert?in={session.pk}&amp;entry=deploy&amp;version=2"
    assert f'action="{undo}"' in shown.content.decode()
    operator.post(undo.replace("&amp;", "&"))
    assert made.entries.get().content == "Run it."
    gone = operator.post(f"{address}/delete", {"key": "nope"}, follow=True)
    assert "No entry" in gone.content.decode()


def test_files_are_shown_and_not_changed(
    operator: Client, session: Session, settings, tmp_path
):
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "deploy.md").write_text(f"# Deploy {EVIL}")
    settings.STORAGES = {
        **settings.STORAGES,
        "skills": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": tmp_path},
        },
    }
    create_block(
        owner=session,
        label="lib",
        kind="skill",
        source="storage",
        storage={"prefix": "team/"},
        author=OPERATOR,
    )
    shown = page(operator, f"/sessions/{session.pk}/blocks?block=lib&entry=deploy.md")
    assert "files below <code>team/</code>" in shown
    assert "# Deploy &lt;script&gt;" in shown
    assert "Add entry" not in shown
    assert "Delete entry" not in shown
