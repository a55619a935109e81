"""The server itself: is it well, what it runs on, its backups, its settings."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import connection
from django.http import FileResponse, Http404, HttpResponse
from django.urls import reverse

from memoryhub import __version__
from memoryhub.services import backups, database, doctor, integrity
from memoryhub.services.in_force import settings_in_force
from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, show, toast
from sessions_app.models import Job
from sessions_app.services import health
from sessions_app.services.jobs import lists as job_lists
from sessions_app.services.searching import reindexing

RUNNING = (backups.JOB, integrity.JOB, reindexing.JOB)


@page(Role.VIEWER, nav="operations", act=Role.OPERATOR)
def system(request: PageRequest) -> HttpResponse:
    """Show it; a POST has something done in the background: ``do`` says what."""
    if request.method == "POST":
        return _act(request)
    checks = doctor.run_checks()
    free, total = database.disk()
    waiting = Job.objects.unfinished().filter(dedupe_key__in=RUNNING)
    context: dict[str, Any] = {
        "checks": checks,
        "wrong": sum(check.state != "ok" for check in checks),
        "version": __version__,
        "versions": health.versions(),
        "database": database.facts(),
        "folders": database.folders(),
        "disk_free": free,
        "disk_used": total - free,
        "disk_total": total,
        "settings": settings_in_force(),
        "jobs": job_lists.counts(),
        "backups": backups.list_backups(),
        "backups_dir": settings.BACKUPS_DIR,
        "kept": settings.BACKUPS_KEPT,
        "is_sqlite": connection.vendor == "sqlite",
        "pg_dump": "" if connection.vendor == "sqlite" else backups.pg_dump(),
        "integrity": integrity.last_result(),
        "running": set(waiting.values_list("dedupe_key", flat=True)),
    }
    return show(request, "system/system.html", context, piece="system/_system.html")


@page(Role.ADMIN, nav="operations")
def backup(request: PageRequest, name: str) -> Any:
    """Give a backup to be kept elsewhere; a POST deletes it."""
    path = backups.path_of(name)
    if request.method == "POST":
        backups.delete_backup(name)
        toast(request, f"Backup {name} is deleted")
        return go(request, reverse("system"))
    response = FileResponse(path.open("rb"), as_attachment=True, filename=name)
    response["Content-Type"] = "application/vnd.sqlite3"
    response["Cache-Control"] = "no-store"
    return response


def _act(request: PageRequest) -> HttpResponse:
    act = ACTS.get(request.POST.get("do", ""))
    if act is None:
        raise Http404("There is nothing of this name to do.")
    ask, text = act
    if ask():
        toast(request, text)
    else:
        toast(request, "This is being done already")
    return go(request, reverse("system"))


ACTS = {
    "backup": (backups.ask_for_backup, "The backup is being made"),
    "integrity": (integrity.ask_for_check, "The database is being looked through"),
    "search": (reindexing.ask_for_rebuild, "The search index is being made anew"),
}
