"""Who may see and do what on the pages."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import wraps
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import patch_cache_control, patch_vary_headers
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails


class Role(IntEnum):
    """What a person may do: each role may do what those below it may."""

    NONE = 0
    VIEWER = 1  # reads
    OPERATOR = 2  # acts on sessions, messages, blocks, prices, imports
    ADMIN = 3  # keys, people, webhooks


class PageRequest(HttpRequest):
    user: User
    htmx: HtmxDetails
    id: str
    nav: str


View = Callable[..., HttpResponseBase]


def role_of(user: AbstractBaseUser | AnonymousUser) -> Role:
    """Return the highest role among a person's groups; a superuser is an admin."""
    if not isinstance(user, User) or not user.is_active:
        return Role.NONE
    if user.is_superuser:
        return Role.ADMIN
    known: Role | None = getattr(user, "memoryhub_role", None)
    if known is None:
        names = user.groups.values_list("name", flat=True)
        roles = [
            Role[name.upper()] for name in names if name.upper() in Role.__members__
        ]
        known = max(roles, default=Role.NONE)
        user.memoryhub_role = known  # type: ignore[attr-defined]
    return known


def page(
    role: Role, *, nav: str = "", act: Role | None = None
) -> Callable[[View], View]:
    """
    Let a view be seen by people of this role, and acted on (POST) by those of ``act``.

    ``nav`` names the entry of the top bar that is the current one.
    """

    def guarded(view: View) -> View:
        @wraps(view)
        def answer(request: PageRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not _is_logged_in(request):
                return _to_login(request)
            needed = role if request.method in ("GET", "HEAD") else act or role
            if role_of(request.user) < needed:
                raise PermissionDenied(
                    f"This needs the role {needed.name.lower()}: ask an admin for it"
                )
            request.nav = nav
            response = view(request, *args, **kwargs)
            patch_vary_headers(response, ["HX-Request"])
            if "Cache-Control" not in response:
                patch_cache_control(response, private=True, no_cache=True)
            return response

        return answer

    return guarded


def _is_logged_in(request: HttpRequest) -> bool:
    return request.user.is_authenticated


def _to_login(request: PageRequest) -> HttpResponse:
    if request.htmx:
        current = request.htmx.current_url_abs_path or "/"
        return HttpResponseClientRedirect(redirect_to_login(current)["Location"])
    return redirect_to_login(request.get_full_path())
