from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from memoryhub import __version__


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "home.html", {"version": __version__})
