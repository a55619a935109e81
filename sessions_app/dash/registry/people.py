"""People: who may log in, and as what."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.models import User
from django.http import Http404, HttpResponse
from django.urls import reverse

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, show, status_of, toast, warn
from sessions_app.errors import Conflict, MemoryHubError
from sessions_app.services.registry import people as service


@page(Role.ADMIN, nav="operations")
def people(request: PageRequest) -> HttpResponse:
    """List the people; a POST makes one."""
    if request.method != "POST":
        return _show(request)
    given = request.POST
    try:
        user, password = service.create_person(
            username=given.get("username", ""),
            role=given.get("role", ""),
            password=given.get("password") or None,
        )
    except MemoryHubError as exc:
        return _show(request, given=given, error=exc)
    if given.get("password"):
        toast(request, f"{user} may log in as {given['role']}")
        return go(request, reverse("people"))
    return _show_password(request, user, password)


@page(Role.ADMIN, nav="operations")
def person(request: PageRequest, pk: int) -> HttpResponse:
    """Change a person: ``do`` says what."""
    user = User.objects.filter(pk=pk).first()
    act = ACTS.get(request.POST.get("do", ""))
    if user is None or act is None:
        raise Http404("There is no such person, or nothing to do.")
    try:
        return act(request, user)
    except Conflict as exc:
        warn(request, exc)
        return go(request, reverse("people"))


def _role(request: PageRequest, user: User) -> HttpResponse:
    role = request.POST.get("role", "")
    service.set_role(user=user, role=role)
    return _done(request, f"{user} is {'an' if role[:1] in 'ao' else 'a'} {role} now")


def _deactivate(request: PageRequest, user: User) -> HttpResponse:
    service.set_active(user=user, active=False)
    return _done(request, f"{user} is logged out, and may not log in any more")


def _activate(request: PageRequest, user: User) -> HttpResponse:
    service.set_active(user=user, active=True)
    return _done(request, f"{user} may log in again")


def _delete(request: PageRequest, user: User) -> HttpResponse:
    name = str(user)
    service.delete_person(user=user)
    return _done(request, f"{name} is deleted")


def _reset(request: PageRequest, user: User) -> HttpResponse:
    password = service.reset_password(user=user)
    if user.pk == request.user.pk:
        update_session_auth_hash(request, user)
    return _show_password(request, user, password)


ACTS = {
    "role": _role,
    "deactivate": _deactivate,
    "activate": _activate,
    "delete": _delete,
    "reset": _reset,
}


def _done(request: PageRequest, text: str) -> HttpResponse:
    toast(request, text)
    return go(request, reverse("people"))


def _show_password(request: PageRequest, user: User, password: str) -> HttpResponse:
    context = {"person": user, "password": password}
    response = show(request, "people/password_made.html", context)
    response["Cache-Control"] = "no-store"
    return response


def _show(
    request: PageRequest, given: Any = None, error: MemoryHubError | None = None
) -> HttpResponse:
    users = User.objects.prefetch_related("groups").order_by("username")
    rows = [{"user": user, "role": service.role_name(user)} for user in users]
    context = {
        "rows": rows,
        "roles": service.ROLES,
        "given": given or {"role": "viewer"},
        "error": error,
        "active": sum(user.is_active for user in users),
    }
    status = status_of(error) if error else 200
    return show(request, "people/people.html", context, status=status)


@page(Role.NONE)
def password(request: PageRequest) -> HttpResponse:
    """Let each change their own password; other logins of theirs end with it."""
    error: MemoryHubError | None = None
    if request.method == "POST":
        try:
            service.change_password(
                user=request.user,
                old=request.POST.get("old", ""),
                new=request.POST.get("new", ""),
            )
        except MemoryHubError as exc:
            error = exc
        else:
            update_session_auth_hash(request, request.user)
            toast(request, "Your password is changed; your other logins have ended")
            return go(request, reverse("password"))
    status = status_of(error) if error else 200
    return show(request, "people/password.html", {"error": error}, status=status)
