"""
The least that Django with ninja can do: one endpoint that answers with given bytes.

    DJANGO_SETTINGS_MODULE=benchmarks.bare_settings BARE_CONTENT=file granian --interface wsgi benchmarks.bare:application
"""

from __future__ import annotations

import os
from pathlib import Path

from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path
from ninja import NinjaAPI

CONTENT = Path(os.environ.get("BARE_CONTENT", os.devnull)).read_bytes()

api = NinjaAPI(urls_namespace="bare")


@api.get("/bytes")
def read(request: HttpRequest) -> HttpResponse:
    return HttpResponse(CONTENT, content_type="application/json")


urlpatterns = [path("", api.urls)]
application = get_wsgi_application()
