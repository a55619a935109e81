from __future__ import annotations

import pytest

from context_app.services.policies import policy_of

pytestmark = pytest.mark.django_db

FORM = {
    "scan": "quarantine",
    "strategy": "sliding_window",
    "strategy_size": "1,000",
    "session_search": "on",
}


def test_a_policy_is_saved(manager, agent):
    text = manager.get(f"/agents/{agent.pk}").content.decode()
    assert '<option value="flag" selected>' in text

    response = manager.post(f"/agents/{agent.pk}/policy", FORM)

    assert response["Location"] == f"/agents/{agent.pk}"
    policy = policy_of(agent.pk)
    assert (policy.scan, policy.strategy) == ("quarantine", "sliding_window")
    assert policy.strategy_size == 1000
    assert policy.session_search
    assert not policy.usage_in_headers
    text = manager.get(f"/agents/{agent.pk}").content.decode()
    assert '<option value="quarantine" selected>' in text


@pytest.mark.parametrize(
    "fields",
    [{"scan": "no"}, {"strategy": ""}, {"strategy_size": "0"}, {"strategy_size": "x"}],
)
def test_what_cannot_be(manager, agent, fields):
    response = manager.post(f"/agents/{agent.pk}/policy", FORM | fields)
    assert response.status_code == 422
    assert policy_of(agent.pk).scan == "flag"


def test_only_admins_change_it(viewer, operator, manager, agent):
    for client in (viewer, operator):
        assert client.post(f"/agents/{agent.pk}/policy", FORM).status_code == 403
        text = client.get(f"/agents/{agent.pk}").content.decode()
        assert "Suspicious writes" in text
        assert "Save policy" not in text
    assert manager.post("/agents/999/policy", FORM).status_code == 404
    assert manager.get(f"/agents/{agent.pk}/policy").status_code == 404


def test_the_form_has_a_token(agent, manager):
    text = manager.get(f"/agents/{agent.pk}").content.decode()
    form = text.split(f'action="/agents/{agent.pk}/policy"')[1].split("</form>")[0]
    assert 'name="csrfmiddlewaretoken" value="' in form
    assert 'value="None"' not in form
