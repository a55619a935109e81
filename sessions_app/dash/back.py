"""Where an act leads back to."""

from __future__ import annotations

from django.utils.http import url_has_allowed_host_and_scheme

from sessions_app.dash.access import PageRequest


def back_to(request: PageRequest, otherwise: str) -> str:
    """Return the page that a form's ``next`` names, or that it stands on, if it is ours."""
    place = request.POST.get("next") or request.META.get("HTTP_REFERER", "")
    is_ours = url_has_allowed_host_and_scheme(
        place, {request.get_host()}, require_https=request.is_secure()
    )
    return place if is_ours else otherwise
