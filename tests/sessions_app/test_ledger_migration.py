"""What was in the ledger before there were triggers is in the sums."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from sessions_app.models import Agent, Session, Usage
from sessions_app.services.spend.usage import Tokens, add_usage
from tests.ledger import recounted_totals, stored_totals

OLD = ("Agent", "Session", "Usage")
BEFORE = ("sessions_app", "0003_compaction_attempts")


@pytest.fixture
def _migrated_in_the_end():
    yield
    call_command("migrate", verbosity=0)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_migrated_in_the_end")
def test_an_old_ledger_is_summed_up():
    call_command("migrate", *BEFORE, verbosity=0)
    apps = MigrationExecutor(connection).loader.project_state([BEFORE]).apps
    models = {name: apps.get_model("sessions_app", name) for name in OLD}
    agent = models["Agent"].objects.create(name="old")
    session = models["Session"].objects.create(
        agent=agent, key="old", input_tokens=7, cost_nanos=5, unpriced=2
    )
    for tokens, cost, of in ((3, 5, session), (4, None, session), (9, None, None)):
        models["Usage"].objects.create(
            agent=agent, session=of, model="m", input_tokens=tokens, cost_nanos=cost
        )
    models["Session"].objects.filter(id=session.id).update(unpriced=1)

    call_command("migrate", verbosity=0)

    assert Session.objects.get().calls == 2
    assert sorted(Usage.objects.values_list("cost_source", flat=True)) == [
        "",
        "",
        "reported",
    ]
    assert stored_totals() == recounted_totals()
    add_usage(session=Session.objects.get(), tokens=Tokens(1))
    assert stored_totals() == recounted_totals()
    assert Agent.objects.get().name == "old"
