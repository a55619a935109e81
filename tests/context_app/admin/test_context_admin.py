from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib import admin

from context_app.models import (
    AgentPolicy,
    Block,
    DeletedBlock,
    Entry,
    HeldWrite,
    Version,
)
from tests.admin_pages import act, change_page, delete_page, errors_of, page_of, save
from tests.blocks import INJECTION, content, fresh_block, history

MODELS = [*apps.get_app_config("context_app").get_models()]
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)


@each_model
def test_every_model_has_its_pages(admin_client, memories, model):
    assert model in admin.site._registry
    assert model.objects.exists()
    for query in ("", "?q=memory", "?q=%22", "?o=-1"):
        address = page_of(model, "changelist") + query
        assert admin_client.get(address).status_code == 200
    for row in model.objects.all():
        assert admin_client.get(change_page(row)).status_code == 200


@each_model
def test_every_filter_works(admin_client, memories, model):
    address = page_of(model, "changelist")
    changelist = admin_client.get(address).context["cl"]

    for spec in changelist.filter_specs:
        for choice in spec.choices(changelist):
            assert admin_client.get(address + choice["query_string"]).status_code == 200


def test_a_block_is_made(admin_client, session):
    save(
        admin_client,
        page_of(Block, "add"),
        session=session.pk,
        label="soul",
        kind="readonly",
        content="Kind.",
    )

    made = Block.objects.get()
    assert (made.content, made.tokens, made.position) == ("Kind.", 2, 0)
    assert history(made) == [(1, "Kind.", "operator admin")]


def test_a_block_of_nobody_is_not_made(admin_client, db):
    response = save(admin_client, page_of(Block, "add"), label="soul")

    assert errors_of(response)
    assert not Block.objects.exists()


def test_a_label_that_is_taken_is_said(admin_client, agent, session, memory):
    response = save(
        admin_client, page_of(Block, "add"), agent=agent.pk, shared="on", label="memory"
    )

    assert "already exists in 1 of" in errors_of(response)


def test_a_block_is_written(admin_client, memory):
    save(admin_client, change_page(memory), content="two", max_tokens=9)

    written = fresh_block(memory)
    assert (written.content, written.max_tokens) == ("two", 9)
    assert history(written)[-1] == (2, "two", "operator admin")


def test_a_limit_holds(admin_client, memory):
    response = save(admin_client, change_page(memory), content="a b c d", max_tokens=1)

    assert "exceeds maxTokens: 6 &gt; 1" in errors_of(response)
    assert content(memory.session) == "one"


def test_a_readonly_block_is_an_operators_to_write(admin_client, memory):
    Block.objects.update(kind="readonly")

    save(admin_client, change_page(memory), content="two")

    assert fresh_block(memory).content == "two"


def test_of_a_keyed_block_the_content_is_not_a_field(admin_client, skills):
    form = admin_client.get(change_page(skills)).context["adminform"].form

    assert set(form.fields) == {"description", "max_tokens", "position"}


def test_a_block_is_deleted(admin_client, memories, skills):
    response = admin_client.get(delete_page(skills))
    assert b"entries" in response.content.lower()

    admin_client.post(delete_page(skills), {"post": "yes"})

    assert not Block.objects.filter(label="skills").exists()
    assert not Entry.objects.exists()


def test_an_entry_is_made_and_written_and_deleted(admin_client, skills):
    save(
        admin_client, page_of(Entry, "add"), block=skills.pk, key="navy", content="Aye"
    )
    navy = Entry.objects.get(key="navy")
    save(admin_client, change_page(navy), content="Aye aye")
    admin_client.post(delete_page(navy), {"post": "yes"})

    assert [row[1] for row in history(skills, "navy")] == ["Aye", "Aye aye", ""]
    assert content(skills.session, "skills") == "- pirate: Speaks"


def test_a_key_that_is_taken(admin_client, skills):
    response = save(
        admin_client, page_of(Entry, "add"), block=skills.pk, key="pirate", content="x"
    )

    assert errors_of(response)
    assert Entry.objects.get().content == "Arr"


def test_history_is_only_looked_at(admin_client, memory):
    version = Version.objects.get()

    assert admin_client.get(page_of(Version, "add")).status_code == 403
    assert admin_client.post(change_page(version), {}).status_code == 403
    assert admin_client.post(delete_page(version), {"post": "yes"}).status_code == 403


def test_a_held_write_is_approved(admin_client, memory, held):
    act(admin_client, "approve_selected", held)

    assert content(memory.session) == INJECTION
    decided = HeldWrite.objects.get()
    assert (decided.state, decided.decided_by) == ("approved", "operator admin")
    response = act(admin_client, "reject_selected", held)
    assert b"was approved by" in response.content


def test_a_held_write_is_rejected(admin_client, memory, held):
    act(admin_client, "reject_selected", held)

    assert content(memory.session) == "one"
    assert HeldWrite.objects.get().state == "rejected"


def test_a_policy(admin_client, agent):
    save(admin_client, page_of(AgentPolicy, "add"), agent=agent.pk, scan="off")
    policy = AgentPolicy.objects.get()
    save(admin_client, change_page(policy), scan="quarantine")

    policy.refresh_from_db()
    assert (policy.scan, policy.usage_in_headers) == ("quarantine", True)
    admin_client.post(delete_page(policy), {"post": "yes"})
    assert not AgentPolicy.objects.exists()


def test_a_deleted_block_is_restored(admin_client, memory):
    admin_client.post(delete_page(memory), {"post": "yes"})
    aside = DeletedBlock.objects.get()

    act(admin_client, "restore_selected", aside)

    assert fresh_block(memory).content == "one"
    assert not DeletedBlock.objects.exists()


def test_entries_of_files_are_not_written(admin_client, session):
    made = Block.objects.create(
        session=session, label="files", kind="skill", source="storage"
    )

    answer = save(admin_client, page_of(Entry, "add"), block=made.pk, key="a")

    assert "Its entries are files" in str(errors_of(answer))
    assert not Entry.objects.exists()
