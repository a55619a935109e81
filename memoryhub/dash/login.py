"""In and out. Too many wrong passwords are answered with a pause (django-axes)."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

login = LoginView.as_view(template_name="login.html", redirect_authenticated_user=True)


def locked_out(
    request: HttpRequest, credentials: dict[str, Any] | None = None, **_: Any
) -> HttpResponse:
    """Answer the login that comes after too many wrong ones."""
    return render(request, "login.html", {"is_locked_out": True}, status=429)
