"""What importers and summarizers put in the ledger is priced as any call is."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import orjson
import pytest
from django.core.management import call_command

from sessions_app.models import Price, Session, Usage
from sessions_app.services.compaction.compacting import compact
from sessions_app.services.prices import save_price
from sessions_app.services.prices.filling import sync_prices
from sessions_app.services.spend.groups import total_usage
from sessions_app.services.spend.usage import to_nanos
from tests.builders import fresh, talk
from tests.ledger import recounted_totals, stored_totals
from tests.llm_server import llm_server, says

PI = Path(__file__).resolve().parents[1] / "data" / "pi-v1.jsonl"
# The session that the figures in docs/spend.md are of, where it is at hand.
LARGE = Path("/work/shared/data/pi-large-session.jsonl")


def costs_in(file):
    messages = [
        orjson.loads(line).get("message", {}) for line in file.read_text().splitlines()
    ]
    return [Decimal(str(m["usage"]["cost"]["total"])) for m in messages if "usage" in m]


@pytest.mark.parametrize("file", [PI, LARGE], ids=lambda file: file.stem)
def test_an_import_keeps_its_cost_and_ours_beside_it(db, file):
    if not file.exists():
        pytest.skip("the file is not here")
    sync_prices()

    call_command("import_sessions", str(file), verbosity=0)

    costs = costs_in(file)
    session = Session.objects.get()
    rows = Usage.objects.filter(session=session)
    assert session.cost_nanos == sum(map(to_nanos, costs))
    assert round(Decimal(session.cost_nanos) / 10**9, 2) == round(sum(costs), 2)
    assert {row.cost_source for row in rows} == {"reported"}
    for row in rows:
        assert row.computed_nanos is not None
        assert row.cost_nanos is not None
        assert abs(row.computed_nanos - row.cost_nanos) <= 1
    assert total_usage().cost_nanos == session.cost_nanos
    assert total_usage(leave_out_imports=True).calls == 0
    assert stored_totals() == recounted_totals()


def test_the_large_session_is_what_the_docs_say(db):
    if not LARGE.exists():
        pytest.skip("the file is not here")
    costs = costs_in(LARGE)

    assert (len(costs), round(sum(costs), 6)) == (453, Decimal("30.330198"))
    docs = Path(__file__).resolve().parents[2] / "docs" / "spend.md"
    assert "453 calls" in docs.read_text()
    assert "$30.330198 (30.3301977)" in docs.read_text()
    assert round(sum(costs), 9) == Decimal("30.3301977")


def test_a_summary_is_priced(session, settings):
    save_price(
        Price(
            provider="openai",
            model="small-1",
            input=10**9,
            cache_read=10**8,
            output=4 * 10**9,
        )
    )
    talk(session, "a b c d e f g h i j")
    Session.objects.filter(id=session.id).update(compact_after=1)
    with llm_server(says("S")) as server:
        settings.SUMMARIZER_URL = server.url
        made = compact(session=fresh(session))

    row = session.usage_rows.get()
    assert (row.purpose, row.cost_source) == ("compaction", "computed")
    # 200 new tokens, 1,000 cached ones, 60 + 30 of output.
    assert row.cost_nanos == 200_000 + 100_000 + 360_000
    assert made.cost_nanos == fresh(session).cost_nanos == row.cost_nanos
    assert stored_totals() == recounted_totals()
