"""Taking a session away as a file."""

from __future__ import annotations

from typing import Any

from django.http import StreamingHttpResponse

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import show
from sessions_app.dash.session.head import find_session, head_of
from sessions_app.services.exporting.files import export_as, formats


@page(Role.VIEWER, nav="sessions")
def export(request: PageRequest, pk: int) -> Any:
    """Let a format be chosen; with ``?format=`` the answer is the file."""
    session = find_session(pk)
    wanted = request.GET.get("format")
    if wanted:
        made = export_as(session, wanted, request.GET.get("leaf") or None)
        response = StreamingHttpResponse(made.chunks, content_type=made.content_type)
        response["Content-Disposition"] = f'attachment; filename="{made.filename}"'
        return response
    context = {"formats": formats(), **head_of(request, session, "export")}
    return show(request, "session/export.html", context)
