"""The first page: what happens, what it costs, what needs attention."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.http import HttpResponse
from django.utils.timezone import now

from memoryhub.dash.attention import matters
from memoryhub.dash.figures import newest_backup, tiles
from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import show
from sessions_app.dash.rendering.charts import Column, bar_chart
from sessions_app.dash.rendering.formatting import short_count
from sessions_app.dash.spend.page import chart_of
from sessions_app.dash.spend.ranges import Range, midnight
from sessions_app.models import ApiKey, Session
from sessions_app.models.fields import to_millis
from sessions_app.services.registry.activity import messages_by_day, recent_sessions
from sessions_app.services.registry.rows import rows_of
from sessions_app.services.spend.groups import DAY
from sessions_app.services.spend.series import slots

DAYS = 30
RECENT = 6


@page(Role.VIEWER, nav="overview")
def overview(request: PageRequest) -> HttpResponse:
    tomorrow = midnight(now().date() + timedelta(days=1))
    month = Range("30d", tomorrow - timedelta(days=DAYS), tomorrow, with_imports=True)
    found = matters()
    if not Session.objects.exists():
        context = {"has_keys": ApiKey.objects.exists(), "matters": found}
        return show(request, "overview/first_run.html", context)
    context = {
        "now": now(),
        "backup": newest_backup(),
        "matters": found,
        "failures": sum(matter.level == "bad" for matter in found),
        "warnings": sum(matter.level == "warn" for matter in found),
        "chart": chart_of(month, "model", width=960, height=400),
        "written": written_chart(month),
        "rows": rows_of(recent_sessions(RECENT)),
        "session_count": Session.objects.living().filter(archived_at=None).count(),
        **tiles(),
    }
    return show(request, "overview/overview.html", context)


def written_chart(shown: Range) -> dict[str, Any]:
    """Return bars of the messages of each day."""
    counts = messages_by_day(shown.since)
    days = slots(shown.since, shown.until, DAY)
    columns = [
        Column(
            title=f"{day:%-d %b %Y}",
            label="" if back % 14 else ("Today" if not back else f"{day:%-d %b}"),
            values=[counts.get(to_millis(day) // DAY, 0)],
            is_now=not back,
        )
        for back, day in zip(range(len(days) - 1, -1, -1), days, strict=True)
    ]
    svg = bar_chart(
        columns,
        name="written",
        label="Messages by day",
        width=400,
        height=130,
        unit=short_count,
    )
    rows = [(column.title, column.total) for column in reversed(columns)]
    return {"svg": svg, "rows": rows, "total": sum(column.total for column in columns)}
