"""Pricing the ledger anew: first what would change, then as a job."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.http import HttpResponse
from django.urls import reverse

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, show, toast
from sessions_app.errors import Invalid
from sessions_app.services.prices.jobs import queue_reprice
from sessions_app.services.prices.repricing import reprice, rows_to_reprice

# More rows than that are not gone through while somebody waits.
MOST = 20_000


@page(Role.OPERATOR, nav="spend")
def reprice_page(request: PageRequest) -> HttpResponse:
    """Show what pricing anew would change; a POST has it done."""
    asked = _asked(request)
    if request.method == "POST":
        queued = queue_reprice(**asked)
        toast(
            request, "A job prices the ledger anew" if queued else "A job does it now"
        )
        return go(request, reverse("jobs"))
    rows = rows_to_reprice(since=asked["since"], model=asked["model"]).count()
    report = None
    if rows <= MOST:
        *_, report = reprice(**asked, dry_run=True)
    models = sorted(report.models.items()) if report else []
    context = {
        "asked": asked,
        "rows": rows,
        "most": MOST,
        "report": report,
        "models": [
            {"name": name, "change": change, "more": change.after - change.before}
            for name, change in models
        ],
        "reported_models": [
            {"name": name, "change": change, "off": change.computed - change.after}
            for name, change in models
            if change.computed != change.after
        ],
    }
    return show(request, "prices/reprice.html", context)


def _asked(request: PageRequest) -> dict[str, Any]:
    given = request.POST if request.method == "POST" else request.GET
    since, model = given.get("since", ""), given.get("model", "").strip()
    try:
        after = datetime.fromisoformat(since).replace(tzinfo=UTC) if since else None
    except ValueError:
        raise Invalid("since: must be a date, YYYY-MM-DD", field="since") from None
    return {
        "since": after,
        "model": model or None,
        "reported": given.get("reported") == "on",
    }
