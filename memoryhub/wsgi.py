"""
The WSGI application that ``manage.py serve`` runs.

Django reads as much of a body as Content-Length says, so a chunked one would
arrive empty: it is read here first, up to the limit, and given its length. And
Django reads a URL in the charset that a client declares for the body, which may be
none: all that we take is UTF-8.
"""

from __future__ import annotations

import gc
import io
import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
CHARSET = re.compile(r";\s*charset=[^;]*", re.IGNORECASE)
django_application = get_wsgi_application()
# The endpoints are imported now, lest the first request wait for them.
endpoints = get_resolver().url_patterns
# What has been imported stays: to look through it for garbage, as happens every few
# requests, would take as long as dozens of them.
gc.collect()
gc.freeze()


def application(
    environ: WSGIEnvironment, start_response: StartResponse
) -> Iterable[bytes]:
    if "chunked" in environ.get("HTTP_TRANSFER_ENCODING", "").lower():
        # One byte more than allowed is enough to be refused as too large.
        body = environ["wsgi.input"].read(settings.MAX_BODY_BYTES + 1)
        environ["wsgi.input"] = io.BytesIO(body)
        environ["CONTENT_LENGTH"] = str(len(body))
    if "charset" in environ.get("CONTENT_TYPE", "").lower():
        environ["CONTENT_TYPE"] = CHARSET.sub("", environ["CONTENT_TYPE"])
    return django_application(environ, start_response)
