"""What a person chooses for the browser at hand: theme, and single-key shortcuts."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from memoryhub.dash.context import THEMES

YEAR = 365 * 86_400


@require_POST
def preferences(request: HttpRequest) -> HttpResponse:
    """Keep the choices in cookies, so that the login page has them too."""
    response = HttpResponseRedirect(_back(request), status=303)
    chosen = {
        "theme": (request.POST.get("theme"), THEMES),
        "keys": (request.POST.get("keys"), ("on", "off")),
    }
    for name, (value, allowed) in chosen.items():
        if value in allowed:
            response.set_cookie(
                name,
                value,
                max_age=YEAR,
                samesite="Lax",
                httponly=True,
                secure=request.is_secure(),
            )
    return response


def _back(request: HttpRequest) -> str:
    place = str(request.META.get("HTTP_REFERER", ""))
    if url_has_allowed_host_and_scheme(
        place, {request.get_host()}, require_https=request.is_secure()
    ):
        return place
    return reverse("overview")
