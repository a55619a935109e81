from __future__ import annotations

import orjson
import pytest

from context_app.loading import Skill
from context_app.models import SkillCall
from context_app.services.skills import loaded_skills, reclaimed
from sessions_app.messages import read_message
from sessions_app.services.compaction.overlays import update_compaction
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.forest.history import read_history
from sessions_app.services.registry.sessions import check_out, clear_session
from tests.blocks import block, entry, tool
from tests.builders import append, compact, fresh, say

PIRATE = {"label": "skills", "key": "pirate"}
TEXT = "Say arr"


@pytest.fixture(autouse=True)
def _skills(session):
    skills = block(session, "skills", kind="skill")
    entry(skills, "pirate", TEXT)
    entry(skills, "navy", "Aye")


def calls(session, name, uid, output, key="pirate", **options):
    """Append what a model's call of a tool left behind."""
    part = {
        "type": f"tool-{name}",
        "toolCallId": uid,
        "state": "output-available",
        "input": {"label": "skills", "key": key},
        "output": output,
    }
    return say(session, uid, role="assistant", parts=[part], **options)


def load(session, uid, **options):
    calls(session, "load_context", uid, TEXT, **options)


def unload(session, uid, **options):
    calls(session, "unload_context", uid, 'Unloaded "pirate"...', **options)


def keys(session, leaf=None):
    return [skill.key for skill in loaded_skills(fresh(session), leaf)]


def outputs(session, **options):
    """Return the outputs of tool calls as a history shows them, by message."""
    history = read_history(fresh(session), **options)
    bodies = list(map(orjson.loads, reclaimed(history)))
    return {
        body["id"]: part["output"]
        for body in bodies
        for part in body["parts"]
        if "output" in part
    }


GONE = "[skill unloaded: pirate]"


def test_it_works(session):
    say(session, "hello")
    load(session, "l1")

    assert loaded_skills(fresh(session)) == [Skill("skills", "pirate")]
    assert outputs(session) == {"l1": TEXT}


def test_an_unload_takes_it_out_everywhere_above(session):
    for uid in ("l1", "l2"):
        load(session, uid)
    unload(session, "u1")

    assert keys(session) == []
    assert outputs(session) == {"l1": GONE, "l2": GONE, "u1": 'Unloaded "pirate"...'}
    stored = orjson.loads(session.messages.get(uid="l1").body)
    assert stored["parts"][0]["output"] == TEXT


def test_each_branch_has_its_own(session):
    load(session, "l1")
    unload(session, "u1")
    say(session, "other", parent="l1")

    assert keys(session) == ["pirate"]
    assert outputs(session) == {"l1": TEXT}
    assert keys(session, "u1") == []
    assert outputs(session, leaf="u1")["l1"] == GONE
    check_out(session=session, uid="u1")
    assert keys(session) == []


def test_a_fork_has_what_lies_on_its_path(session):
    load(session, "l1")
    fork = fork_session(session=session)
    unload(session, "u1")

    assert keys(fork) == ["pirate"]
    assert keys(session) == []


def test_what_a_summary_covers_is_not_loaded(session):
    load(session, "l1")
    say(session, "b")
    say(session, "c")
    made = compact(session, "l1", "b")

    assert keys(session) == []
    update_compaction(session=session, uid=made.uid, state="disabled")
    assert keys(session) == ["pirate"]


def test_an_unload_that_a_summary_covers_still_counts(session):
    load(session, "l1")
    say(session, "b")
    unload(session, "u1")
    say(session, "c")
    compact(session, "b", "u1")

    assert keys(session) == []
    assert outputs(session) == {"l1": GONE}


def test_an_unload_covered_in_a_fork(session):
    load(session, "l1")
    unload(session, "u1")
    say(session, "c")
    fork = fork_session(session=session)
    compact(fork, "u1", "u1")

    assert keys(fork) == []
    assert outputs(fork) == {"l1": GONE}


def test_a_clear_forgets(session):
    load(session, "l1")
    tool(session, "load_context", label="skills", key="navy")

    clear_session(session=session)

    assert keys(session) == []


def test_what_is_not_appended_yet_counts(session):
    say(session, "hello")

    assert tool(session, "load_context", **PIRATE) == TEXT
    assert keys(session) == ["pirate"]
    assert tool(session, "unload_context", **PIRATE).startswith("Unloaded")
    assert keys(session) == []


def test_what_was_appended_counts_once(session):
    tool(session, "load_context", **PIRATE)
    load(session, "l1")

    assert keys(session) == ["pirate"]
    unload(session, "u1")
    assert keys(session) == []


def test_a_call_that_came_to_nothing_is_forgotten_with_its_turn(session):
    tool(session, "load_context", **PIRATE)
    say(session, "the host threw the answer away")

    assert keys(session) == []
    tool(session, "load_context", label="skills", key="navy")
    assert [call.key for call in SkillCall.objects.all()] == ["navy"]


def test_an_unload_before_the_messages_come(session):
    load(session, "l1")

    tool(session, "unload_context", **PIRATE)

    assert keys(session) == []
    assert keys(session, "l1") == []
    unload(session, "u1")
    load(session, "l2")
    assert keys(session) == ["pirate"]


def test_numbers_of_any_size_survive(session):
    part = (
        b'{"type": "tool-load_context", "state": "output-available", "n": 1.0,'
        b' "input": {"label": "skills", "key": "pirate"}, "output": "Say arr"}'
    )
    body = b'{"id": "l1", "role": "assistant", "parts": [%s], "big": %d}' % (
        part,
        2**70,
    )
    append(session, read_message(body, "message"))
    unload(session, "u1")
    history = read_history(fresh(session))

    changed = reclaimed(history)

    assert changed[1] is history.bodies[1]
    assert f'"big":{2**70}' in changed[0]
    assert '"n":1.0' in changed[0]
    assert "Say arr" not in changed[0]


def test_history_without_unloads_is_returned_as_it_is(session):
    load(session, "l1")
    history = read_history(fresh(session))

    assert reclaimed(history) == history.bodies
