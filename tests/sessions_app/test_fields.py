from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app import sql
from sessions_app.models import Session
from sessions_app.models.fields import from_millis, to_millis
from sessions_app.services.registry.sessions import update_session


@given(st.integers(-(10**12), 10**13))
def test_no_millisecond_is_lost(millis):
    assert to_millis(from_millis(millis)) == millis


@given(st.datetimes(timezones=st.just(UTC)))
def test_what_is_finer_is_cut_off(moment):
    kept = from_millis(to_millis(moment))

    assert timedelta(0) <= moment - kept < timedelta(milliseconds=1)


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=5, minutes=30))])
def test_a_moment_is_stored_and_found(session, zone):
    moment = datetime(2026, 11, 20, 12, 30, 15, 123_000, tzinfo=zone)
    update_session(session=session, archived_at=moment)

    assert Session.objects.get(archived_at=moment).archived_at == moment
    assert Session.objects.filter(
        archived_at__lt=moment + timedelta(seconds=1)
    ).exists()
    assert not Session.objects.filter(archived_at__lt=moment).exists()


def test_hand_written_sql_sees_milliseconds(session):
    update_session(session=session, archived_at=datetime(1970, 1, 1, 0, 1, tzinfo=UTC))

    assert sql.one("SELECT archived_at FROM sessions_app_session") == (60_000,)
