from __future__ import annotations

import hashlib
from datetime import timedelta

import pytest
from django.utils.timezone import now

from sessions_app.errors import NotFound
from sessions_app.models import ApiKey
from sessions_app.services.registry.keys import (
    ScopeTooNarrow,
    create_key,
    digest,
    revoke_key,
)

pytestmark = pytest.mark.django_db


def test_it_works(agent):
    key, secret = create_key(agent=agent, scope="read", name="CI")

    assert ApiKey.objects.get() == key
    assert (key.agent, key.scope, key.name) == (agent, "read", "CI")
    assert secret.startswith("mh_")
    assert len(secret) == 3 + 43
    assert (key.expires_at, key.revoked_at, key.last_used_at) == (None, None, None)


def test_the_secret_is_not_kept(agent):
    key, secret = create_key(agent=agent)

    kept = [str(value) for value in ApiKey.objects.values_list()[0]]
    assert secret not in kept
    assert key.digest == digest(secret) == hashlib.sha256(secret.encode()).hexdigest()
    assert secret.startswith(key.prefix)
    assert len(key.prefix) == 10


def test_no_two_are_the_same(agent):
    assert len({create_key(agent=agent)[1] for _ in range(10)}) == 10


def test_by_default_it_may_write(agent):
    assert create_key(agent=agent)[0].scope == "write"


def test_it_may_end(agent):
    tomorrow = now() + timedelta(days=1)

    key, _ = create_key(agent=agent, expires_at=tomorrow)

    assert key.expires_at == tomorrow


def test_one_for_all_agents():
    key, _ = create_key(agent=None, scope="admin")

    assert key.agent is None


@pytest.mark.parametrize("scope", ["read", "write"])
def test_one_for_all_agents_must_be_of_an_admin(scope):
    with pytest.raises(ScopeTooNarrow) as caught:
        create_key(agent=None, scope=scope)

    assert caught.value.code == "scope_too_narrow"
    assert not ApiKey.objects.exists()


def test_revoke(agent):
    key, _ = create_key(agent=agent)
    other, _ = create_key(agent=agent)

    revoke_key(key.prefix)

    key.refresh_from_db()
    other.refresh_from_db()
    assert key.revoked_at is not None
    assert other.revoked_at is None


def test_revoke_twice(agent):
    key, _ = create_key(agent=agent)
    revoke_key(key.prefix)

    with pytest.raises(NotFound):
        revoke_key(key.prefix)


def test_revoke_an_unknown_one():
    with pytest.raises(NotFound):
        revoke_key("mh_nope")
