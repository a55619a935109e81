"""What models cost: the list's prices, the operator's own, and pricing anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.timezone import now

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, show, status_of, toast
from sessions_app.dash.reading import row_key, text_in
from sessions_app.dash.spend.price_forms import LABELS, dollars, form_of, price_from
from sessions_app.errors import Invalid
from sessions_app.models import Price
from sessions_app.pricing import CONVENTIONS, RATES
from sessions_app.services.prices import delete_prices, find_price, save_price
from sessions_app.services.prices.jobs import queue_sync

ROWS = 50


@page(Role.VIEWER, nav="spend", act=Role.OPERATOR)
def prices(request: PageRequest) -> HttpResponse:
    """List the prices; a POST adds one of the operator's."""
    if request.method != "POST":
        return _list(request, form=_wanted(request))
    return _save(request, Price())


@page(Role.VIEWER, nav="spend", act=Role.OPERATOR)
def price(request: PageRequest, pk: int) -> HttpResponse:
    """Show one of the operator's prices to be changed; a POST changes it."""
    found = _own(pk)
    if request.method != "POST":
        return _list(request, form=form_of(found), edited=found)
    return _save(request, found)


@page(Role.OPERATOR, nav="spend")
def price_delete(request: PageRequest, pk: int) -> HttpResponse:
    if request.method == "POST":
        found = _own(pk)
        delete_prices([found])
        toast(request, f"Your price of {found.model} deleted. Costs stay as they are.")
    return go(request, reverse("prices"))


@page(Role.OPERATOR, nav="spend")
def prices_sync(request: PageRequest) -> HttpResponse:
    if request.method == "POST":
        queued = queue_sync()
        toast(request, "The list is read by a job" if queued else "A job reads it now")
    return go(request, reverse("prices"))


def _save(request: PageRequest, found: Price) -> HttpResponse:
    edited = found if found.pk else None
    try:
        saved = save_price(price_from(request.POST, found))
    except Invalid as error:
        return _list(request, form=request.POST, edited=edited, error=error)
    toast(request, f"Price of {saved.model} saved. Calls from now on cost by it.")
    return go(request, reverse("reprice") + f"?model={saved.model}")


def _list(
    request: PageRequest,
    *,
    form: Mapping[str, Any],
    edited: Price | None = None,
    error: Invalid | None = None,
) -> HttpResponse:
    q, source = text_in(request.GET, "q"), request.GET.get("source", "")
    found = Price.objects.order_by("-source", "model", "provider", "-valid_from", "id")
    if source in Price.Source.values:
        found = found.filter(source=source)
    if q:
        found = found.filter(Q(model__icontains=q) | Q(provider__icontains=q))
    shown = Paginator(found, ROWS).get_page(request.GET.get("page"))
    context = {
        "shown": shown,
        "rows": [
            (row, [dollars(getattr(row, name)) for name in RATES]) for row in shown
        ],
        "q": q,
        "source": source,
        "labels": LABELS,
        "fields": [(name, label, form.get(name, "")) for name, label in LABELS.items()],
        "conventions": CONVENTIONS,
        "form": form,
        "edited": edited,
        "error": error,
        "error_field": error.details.get("field", "") if error else "",
        "is_empty": not Price.objects.filter(source=Price.Source.LIST).exists(),
    }
    status = status_of(error) if error else 200
    return show(request, "prices/prices.html", context, status=status)


def _own(pk: int) -> Price:
    found = Price.objects.filter(pk=pk, source=Price.Source.OPERATOR).first()
    if found is None:
        raise Http404(f"There is no price {pk} of your own.")
    return found


def _wanted(request: PageRequest) -> dict[str, Any]:
    """Return what a link to the form has filled in: a model, or a price to override."""
    model, copied = request.GET.get("model", ""), request.GET.get("copy", "")
    if (pk := row_key(copied)) is not None:
        listed = Price.objects.filter(pk=pk).first()
        if listed:
            return form_of(listed)
    known = find_price(provider="", model=model, at=now()) if model else None
    form = form_of(known) if known else {"match": "exact", "convention": "disjoint"}
    return {**form, "model": model}
