"""Importing: files come in, a dry run says what is in them, somebody confirms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, show, status_of, toast, warn
from sessions_app.errors import Conflict, MemoryHubError, TooLarge
from sessions_app.models import Agent, Upload
from sessions_app.services.importing import FORMATS, uploads
from sessions_app.services.importing.uploads import Sent
from sessions_app.services.jobs.rerunning import run_again

RECENT = 20


# The token is looked for in the body, so whoever may not upload is to be refused before
# that is read: exempt outside, protected inside.
@csrf_exempt
@page(Role.VIEWER, nav="operations", act=Role.OPERATOR)
def imports(request: PageRequest) -> HttpResponse:
    """Show the form and the latest uploads; a POST takes files in."""
    sent = request.META.get("CONTENT_LENGTH") or "0"
    if sent.isdecimal() and int(sent) > settings.MAX_UPLOAD_BYTES:
        error = TooLarge("The files are too large for an upload")
        return _show(request, error=error)
    # Where Django puts what is large: see settings.FILE_UPLOAD_TEMP_DIR.
    Path(settings.DATA_DIR).mkdir(mode=0o700, parents=True, exist_ok=True)
    return _imports(request)


@csrf_protect
def _imports(request: PageRequest) -> HttpResponse:
    if request.method != "POST":
        return _show(request)
    files = [
        Sent(file.name or "file", file.chunks())
        for file in request.FILES.getlist("files")
    ]
    try:
        upload = uploads.begin(
            sent=files,
            agent=request.POST.get("agent", "").strip(),
            format_name=request.POST.get("format", ""),
            created_by=str(request.user),
        )
    except MemoryHubError as exc:
        return _show(request, given=request.POST, error=exc)
    return go(request, reverse("upload", args=[upload.pk]))


@page(Role.VIEWER, nav="operations", act=Role.OPERATOR)
def upload(request: PageRequest, pk: int) -> HttpResponse:
    """Show where an upload stands; a POST imports or discards it."""
    found = Upload.objects.filter(pk=pk).first()
    if found is None:
        raise Http404("There is no such upload (any more).")
    error: MemoryHubError | None = None
    if request.method == "POST":
        try:
            return _act(request, found)
        except Conflict as exc:
            warn(request, exc)
            return go(request, reverse("upload", args=[pk]))
        except MemoryHubError as exc:
            error = exc
    job = uploads.job_of(found) if found.is_running else None
    context = {
        "upload": found,
        "reports": found.result or found.found,
        "totals": _totals(found.result or found.found),
        "sessions": uploads.sessions_of(found) if found.result else [],
        "job": job,
        "error": error,
        "agents": Agent.objects.order_by("name")[:200],
        "has_failed": job is not None and job.finished_at is not None,
        "kept_for": int(uploads.KEEP_FILES.total_seconds() // 3600),
    }
    status = status_of(error) if error else 200
    return show(
        request,
        "import/upload.html",
        context,
        piece="import/_upload.html",
        status=status,
    )


def _act(request: PageRequest, found: Upload) -> HttpResponse:
    do = request.POST.get("do")
    if do == "discard":
        uploads.discard(upload=found)
        toast(request, "The files are removed; nothing was imported")
        return go(request, reverse("import"))
    if do == "retry" and (job := uploads.job_of(found)):
        run_again(job)
    elif do == "import":
        uploads.confirm(upload=found, agent=request.POST.get("agent", "").strip())
    return go(request, reverse("upload", args=[found.pk]))


def _totals(reports: list[dict[str, Any]]) -> dict[str, int]:
    totals: dict[str, int] = {}
    for report in reports:
        for name, value in report.items():
            if isinstance(value, int):
                totals[name] = totals.get(name, 0) + value
    return totals


def _show(
    request: PageRequest, given: Any = None, error: MemoryHubError | None = None
) -> HttpResponse:
    context = {
        "recent": Upload.objects.order_by("-id").defer("found", "result")[:RECENT],
        "formats": {name: each.title for name, each in FORMATS.items()},
        "agents": Agent.objects.order_by("name")[:200],
        "given": given or {"agent": request.GET.get("agent", Agent.DEFAULT)},
        "limit": settings.MAX_UPLOAD_BYTES,
        "error": error,
    }
    status = status_of(error) if error else 200
    return show(request, "import/import.html", context, status=status)
