from __future__ import annotations

import re

from django.contrib.admin.models import LogEntry

from sessions_app.models import ApiKey
from sessions_app.services.registry.keys import digest
from tests.admin_pages import act, change_page, errors_of, page_of, save

ADD = "/admin/sessions_app/apikey/add/"


def secret_in(response):
    found = re.search(r"<code>(mh_[\w-]+)</code>", response.content.decode())
    return found and found[1]


def test_a_key_is_made_and_its_secret_shown_once(admin_client, agent, client):
    response = save(admin_client, ADD, agent=agent.pk, name="bot", scope="read")

    shown = admin_client.get(response["Location"])
    secret = secret_in(shown)
    key = ApiKey.objects.get()
    assert digest(secret) == key.digest
    assert (key.agent, key.name, key.scope) == (agent, "bot", "read")
    headers = {"Authorization": f"Bearer {secret}"}
    assert client.get("/api/v1/sessions", headers=headers).status_code == 200
    for page in (response["Location"], change_page(key), "/admin/"):
        again = admin_client.get(page).content.decode()
        assert secret not in again
        assert key.digest not in again
    assert secret not in str(LogEntry.objects.values_list())


def test_a_key_for_all_agents_is_an_admins(admin_client):
    response = save(admin_client, ADD, name="ops", scope="write")

    assert "A key for all agents must have the scope admin" in errors_of(response)
    assert 'value="ops"' in response.content.decode()
    assert not ApiKey.objects.exists()

    save(admin_client, ADD, name="ops", scope="admin")
    assert ApiKey.objects.get().agent is None


def test_a_key_is_not_edited_and_not_deleted(admin_client, key):
    address = change_page(key)

    assert admin_client.post(address, {"name": "x"}).status_code == 403
    assert (
        admin_client.post(
            address.replace("change", "delete"), {"post": "yes"}
        ).status_code
        == 403
    )
    act(admin_client, "delete_selected", key, post="yes")
    assert ApiKey.objects.get().name == "bot"


def test_a_key_is_revoked(admin_client, key):
    response = act(admin_client, "revoke", key)

    key.refresh_from_db()
    assert key.revoked_at
    assert f"Key {key.prefix} is revoked." in response.content.decode()
    revoked_at = key.revoked_at
    act(admin_client, "revoke", key)
    key.refresh_from_db()
    assert key.revoked_at == revoked_at
    state = {"state": "revoked"}
    assert (
        admin_client.get(page_of(ApiKey, "changelist"), state)
        .context["cl"]
        .result_count
        == 1
    )
