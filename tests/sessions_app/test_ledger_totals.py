"""What triggers keep equals a recount, after anything at all has happened."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.db import OperationalError, connection, transaction
from django.db.models import F

from sessions_app import sql
from sessions_app.errors import NotFound
from sessions_app.models import ApiKey, Price, Session, Usage
from sessions_app.services.forest.creating import create_session
from sessions_app.services.prices import save_price
from sessions_app.services.prices.repricing import reprice
from sessions_app.services.registry.agents import create_agent, delete_agent
from sessions_app.services.registry.keys import create_key
from sessions_app.services.registry.sessions import clear_session, delete_session
from sessions_app.services.spend.usage import Tokens, add_usage, add_usage_rows
from sessions_app.services.writing.turns import Spent, add_turn
from tests.builders import draft
from tests.ledger import recounted_totals, stored_totals

MODELS = ("gpt-5", "claude", "unknown", "")
START = datetime(2026, 1, 1, tzinfo=UTC)


class Life:
    """Random operations on a ledger, each of which a user can bring about."""

    def __init__(self, seed: int, agents, keys) -> None:
        self.random = random.Random(seed)
        self.agents, self.keys = agents, keys
        self.number = seed * 1_000_000

    def session(self):
        known = list(Session.objects.filter(agent__in=self.agents).order_by("id")[:30])
        if len(known) < 3:
            known.append(create_session(agent=self.random.choice(self.agents)))
        return self.random.choice(known)

    def tokens(self):
        return Tokens(*(self.random.choice((0, 0, 1, 50, 10**6)) for _ in range(5)))

    def call(self):
        cost = self.random.choice((None, None, Decimal("0.000000001"), Decimal(3)))
        return {
            "tokens": self.tokens(),
            "cost": cost,
            "model": self.random.choice(MODELS),
            "purpose": self.random.choice(("chat", "chat", "import", "compaction")),
            "provider": self.random.choice(("", "openai")),
            "key_id": self.random.choice((None, *self.keys)),
            "created_at": START + timedelta(hours=self.random.randrange(100)),
            "response_id": self.random.choice((None, f"r{self.random.randrange(50)}")),
        }

    def add(self):
        add_usage(session=self.session(), **self.call())

    def turn(self):
        call = self.call()
        spent = Spent(
            tokens=call.pop("tokens"),
            cost=call.pop("cost"),
            response_id=call.pop("response_id"),
            message=None,
            details=call,
        )
        self.number += 1
        drafts = [draft("x", f"m{self.number}", role="assistant")]
        add_turn(session=self.session(), drafts=drafts, spent=spent)

    def import_rows(self):
        session = self.session()
        rows = []
        for _ in range(5):
            call = self.call()
            cost, tokens = call.pop("cost"), call.pop("tokens")
            counts = {name: getattr(tokens, name) for name in tokens.__slots__}
            nanos = None if cost is None else int(cost * 10**9)
            rows.append(
                Usage(
                    agent_id=session.agent_id,
                    session=session,
                    cost_nanos=nanos,
                    **counts,
                    **call,
                )
            )
        add_usage_rows(session=session, rows=rows)

    def mend(self):
        """As somebody with a shell might."""
        rows = Usage.objects.filter(agent__in=self.agents).order_by("id")
        ids = list(rows.values_list("id", flat=True)[:20])
        if ids:
            change = self.random.choice(
                (
                    {"cost_nanos": None},
                    {"cost_nanos": 7},
                    {"model": "other"},
                    {"purpose": "import"},
                    {"created_at": START + timedelta(days=9)},
                    {"input_tokens": F("input_tokens") + 1},
                    {"key": None},
                )
            )
            with transaction.atomic():
                Usage.objects.filter(id=self.random.choice(ids)).update(**change)

    def remove(self):
        ids = list(
            Usage.objects.filter(agent__in=self.agents).values_list("id", flat=True)[:9]
        )
        if ids:
            with transaction.atomic():
                Usage.objects.filter(id=self.random.choice(ids)).delete()

    def clear(self):
        clear_session(session=self.session())

    def delete(self):
        delete_session(session=self.session())

    def price(self):
        save_price(
            Price(
                model=self.random.choice(MODELS) or "x",
                valid_from=START + timedelta(minutes=self.random.randrange(10**6)),
                input=self.random.choice((0, 10**9, 3)),
                output=self.random.choice((0, 10**9, None)),
            )
        )
        for _ in reprice(since=START + timedelta(hours=50)):
            pass

    def live(self, count, kinds):
        for _ in range(count):
            self.random.choice(kinds)(self)


ANY = (Life.add,) * 4 + (Life.turn,) * 4 + (
    Life.import_rows,
    Life.mend,
    Life.remove,
    Life.clear,
    Life.delete,
    Life.price,
)  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_totals_equal_a_recount_after_anything(agent, stranger, seed):
    keys = [create_key(agent=each)[0].id for each in (agent, stranger)]
    life = Life(seed, [agent, stranger], keys)

    for _ in range(15):
        life.live(10, ANY)
        assert stored_totals() == recounted_totals()

    ApiKey.objects.get(id=keys[0]).delete()
    assert stored_totals() == recounted_totals()
    delete_agent(agent=agent)
    assert stored_totals() == recounted_totals()


def test_money_stays_in_the_totals_of_the_day_when_its_session_goes(session):
    add_usage(session=session, tokens=Tokens(1), cost=Decimal(1))
    before = stored_totals()

    delete_session(session=session)

    after = stored_totals()
    assert [place[0] for place in after] == ["day"]
    assert after.items() <= before.items()
    assert after == recounted_totals()


SERVICES = (Life.add,) * 10 + (Life.turn,) * 30 + (Life.import_rows,) * 2
BY_HAND = (*SERVICES, Life.mend, Life.remove)
WRITERS = 8


def at_once(operations, kinds, *, tries):
    """Have writers at work at the same time, and prices computed anew; return errors."""
    agents = [create_agent(f"a{number}") for number in range(3)]
    keys = [create_key(agent=agents[0])[0].id]
    for number in range(12):
        create_session(agent=agents[number % 3], key=f"s{number}")
    save_price(Price(model="gpt-5", input=10**9, output=10**9))

    def persist(work):
        for left in reversed(range(tries)):
            try:
                work()
                return
            except OperationalError as error:
                if not left or not sql.is_busy(error):
                    raise

    def write(seed):
        life = Life(seed, agents, keys)
        for _ in range(operations // WRITERS):
            with suppress(NotFound):
                persist(lambda: life.live(1, kinds))
        connection.close()

    def price():
        for _ in range(10):
            persist(lambda: list(reprice()))
        connection.close()

    with ThreadPoolExecutor(WRITERS + 1) as pool:
        done = [pool.submit(write, seed) for seed in range(WRITERS)]
        done.append(pool.submit(price))
        return [each.exception() for each in done if each.exception()]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_totals_are_right_after_eight_writers_at_once():
    assert at_once(10_400, SERVICES, tries=1) == []

    assert stored_totals() == recounted_totals()
    assert Usage.objects.count() > 5_000


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_rows_may_be_mended_by_hand_meanwhile():
    """Who does not lock the session may be in another's way: then one tries again."""
    assert at_once(1_600, BY_HAND, tries=20) == []

    assert stored_totals() == recounted_totals()
