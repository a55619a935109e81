"""
The triggers that keep the sums over the ledger, for migrations to create.

On each row of the ledger that comes, goes or changes they add to the session's own
sums, to its day, and to the day's totals: in this order, so that on PostgreSQL
writers who wait for each other always wait in the same order.

SQLite cannot rename a table to a name that a trigger speaks of and that is not
there, as it does when Django remakes one. A later migration that alters the tables
of Usage, Session, SessionDay or UsageDay in such a way must begin with ``dropping``
and end with ``creating``.
"""

from __future__ import annotations

USAGE = "sessions_app_usage"
SESSION = "sessions_app_session"
SESSION_DAY = "sessions_app_sessionday"
USAGE_DAY = "sessions_app_usageday"

TOKENS = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
)
MONEY = ("cost_nanos", "computed_nanos")
SUMS = ("calls", "unpriced", *TOKENS, *MONEY)

# What a row of the ledger is to the sums, by the columns of the sums' own keys.
SESSION_DAY_KEY = {
    "session_id": "{row}.session_id",
    "day": "{row}.created_at / 86400000",
    "imported": "({row}.purpose = 'import')",
}
USAGE_DAY_KEY = {
    "day": "{row}.created_at / 86400000",
    "agent_id": "{row}.agent_id",
    "provider": "{row}.provider",
    "model": "{row}.model",
    "purpose": "{row}.purpose",
    "key": "coalesce({row}.key_id, 0)",
}
AMOUNTS = {
    "calls": "1",
    "unpriced": "CAST({row}.cost_nanos IS NULL AS integer)",
    **{name: f"{{row}}.{name}" for name in TOKENS},
    **{name: f"coalesce({{row}}.{name}, 0)" for name in MONEY},
}

# The columns of the ledger that, when they change, change the sums.
SUMMED = ("agent_id", "created_at", "purpose", *TOKENS, *MONEY)
BY_SESSION = ("session_id", *SUMMED)
BY_DAY = ("provider", "model", "key_id", *SUMMED)


def _filled(parts: dict[str, str], row: str) -> dict[str, str]:
    return {name: text.format(row=row) for name, text in parts.items()}


def _add_to_session() -> str:
    amounts = _filled(AMOUNTS, "new")
    own = ", ".join(
        f"{name} = {name} + {amounts[name]}" for name in ("calls", "unpriced", *TOKENS)
    )
    return f"""
    UPDATE {SESSION} SET {own},
        cost_nanos = CASE WHEN new.cost_nanos IS NULL THEN cost_nanos
            ELSE coalesce(cost_nanos, 0) + new.cost_nanos END
    WHERE id = new.session_id;
"""


def _take_from_session() -> str:
    amounts = _filled(AMOUNTS, "old")
    own = ", ".join(
        f"{name} = {name} - {amounts[name]}" for name in ("calls", "unpriced", *TOKENS)
    )
    return f"""
    UPDATE {SESSION} SET {own},
        cost_nanos = CASE WHEN calls - 1 = unpriced - {amounts["unpriced"]} THEN NULL
            ELSE coalesce(cost_nanos, 0) - {amounts["cost_nanos"]} END
    WHERE id = old.session_id;
"""


def _add_to(table: str, key: dict[str, str], extra: dict[str, str], where: str) -> str:
    """Add to the sums' row of a key, or make it; ``extra`` is kept beside the key."""
    values = {
        **_filled(key, "new"),
        **_filled(extra, "new"),
        **_filled(AMOUNTS, "new"),
    }
    changes = ", ".join(f"{name} = {table}.{name} + excluded.{name}" for name in SUMS)
    return f"""
    INSERT INTO {table} ({", ".join(values)})
    SELECT {", ".join(values.values())} WHERE {where}
    ON CONFLICT ({", ".join(key)}) DO UPDATE SET {changes};
"""


def _take_from(table: str, key: dict[str, str]) -> str:
    """Take from the sums' row of a key, if it is there; without calls it goes."""
    amounts = _filled(AMOUNTS, "old")
    changes = ", ".join(f"{name} = {name} - {amounts[name]}" for name in SUMS)
    place = " AND ".join(
        f"{name} = {text}" for name, text in _filled(key, "old").items()
    )
    return f"""
    UPDATE {table} SET {changes} WHERE {place};
    DELETE FROM {table} WHERE {place} AND calls = 0;
"""


ADD_BY_SESSION = _add_to_session() + _add_to(
    SESSION_DAY,
    SESSION_DAY_KEY,
    {"agent_id": "{row}.agent_id"},
    "new.session_id IS NOT NULL",
)
TAKE_BY_SESSION = _take_from_session() + _take_from(SESSION_DAY, SESSION_DAY_KEY)
ADD_BY_DAY = _add_to(USAGE_DAY, USAGE_DAY_KEY, {}, "true")
TAKE_BY_DAY = _take_from(USAGE_DAY, USAGE_DAY_KEY)

# By the end of its name: what happens, and what is to be done. Triggers of one event
# fire in the order of their names on PostgreSQL.
TRIGGERS = {
    "by_session_ai": ("INSERT", ADD_BY_SESSION),
    "by_session_au": (
        f"UPDATE OF {', '.join(BY_SESSION)}",
        TAKE_BY_SESSION + ADD_BY_SESSION,
    ),
    "by_session_ad": ("DELETE", TAKE_BY_SESSION),
    "total_ai": ("INSERT", ADD_BY_DAY),
    "total_au": (f"UPDATE OF {', '.join(BY_DAY)}", TAKE_BY_DAY + ADD_BY_DAY),
    "total_ad": ("DELETE", TAKE_BY_DAY),
}


def creating(vendor: str) -> list[str]:
    """Return the statements that create the triggers."""
    make = _on_sqlite if vendor == "sqlite" else _on_postgresql
    return [
        statement
        for name, (event, body) in TRIGGERS.items()
        for statement in make(f"sessions_app_usage_{name}", event, body)
    ]


def dropping(vendor: str) -> list[str]:
    names = [f"sessions_app_usage_{name}" for name in TRIGGERS]
    if vendor == "sqlite":
        return [f"DROP TRIGGER {name}" for name in names]
    return [f"DROP FUNCTION {name}() CASCADE" for name in names]


def _on_sqlite(name: str, event: str, body: str) -> list[str]:
    return [f"CREATE TRIGGER {name} AFTER {event} ON {USAGE} BEGIN {body} END"]


def _on_postgresql(name: str, event: str, body: str) -> list[str]:
    return [
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN {body} RETURN NULL; END $$",
        f"CREATE TRIGGER {name} AFTER {event} ON {USAGE} "
        f"FOR EACH ROW EXECUTE FUNCTION {name}()",
    ]


def _counted(table: str, key: dict[str, str], extra: dict[str, str], where: str) -> str:
    """Return the statement that fills a table of sums from the ledger as it is."""
    amounts = _filled(AMOUNTS, "usage")
    parts = _filled({**key, **extra}, "usage")
    names = ", ".join([*parts, *amounts])
    sums = ", ".join(f"sum({text})" for text in amounts.values())
    return f"""
INSERT INTO {table} ({names})
SELECT {", ".join(parts.values())}, {sums}
FROM {USAGE} usage
WHERE {where}
GROUP BY {", ".join(parts.values())}
"""


# What was in the ledger before there were triggers.
BACKFILL = [
    f"UPDATE {USAGE} SET cost_source = 'reported' WHERE cost_nanos IS NOT NULL",
    f"UPDATE {SESSION} SET calls = (SELECT count(*) FROM {USAGE} usage "
    f"WHERE usage.session_id = {SESSION}.id)",
    _counted(
        SESSION_DAY,
        SESSION_DAY_KEY,
        {"agent_id": "{row}.agent_id"},
        "usage.session_id IS NOT NULL",
    ),
    _counted(USAGE_DAY, USAGE_DAY_KEY, {}, "true"),
]
