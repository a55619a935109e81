from __future__ import annotations

import pytest
from pytest_django import Settings

from context_app.models import Block, HeldWrite
from context_app.services.blocks import set_block
from context_app.services.deleted_blocks import delete_block
from context_app.services.policies import set_policy
from context_app.services.prompts import freeze_prompt
from sessions_app.models import Agent, Session
from tests.blocks import INJECTION, KEY, OPERATOR, block, entry, tool


@pytest.fixture(autouse=True)
def _passwords_are_hashed_fast(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def memory(session: Session) -> Block:
    return block(session, content="one")


@pytest.fixture
def skills(session: Session) -> Block:
    made = block(session, "skills", kind="skill")
    entry(made, "pirate", "Arr", description="Speaks")
    return made


@pytest.fixture
def held(memory: Block, agent: Agent) -> HeldWrite:
    set_policy(agent=agent, scan="quarantine")
    held = set_block(block=memory, content=INJECTION, author=KEY)
    assert isinstance(held, HeldWrite)
    return held


@pytest.fixture
def memories(held: HeldWrite, skills: Block, session: Session, agent: Agent) -> None:
    """A row of each model."""
    block(agent, "soul", shared=True)
    tool(session, "load_context", label="skills", key="pirate")
    freeze_prompt(session=session)
    delete_block(block=block(session, "gone"), author=OPERATOR)
