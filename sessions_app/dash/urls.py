from __future__ import annotations

from django.urls import path

from sessions_app.dash.compactions.acts import (
    compaction_delete,
    compaction_disable,
    compaction_edit,
    compaction_enable,
)
from sessions_app.dash.compactions.making import compaction_count, compaction_make
from sessions_app.dash.compactions.page import compaction_status, session_compactions
from sessions_app.dash.imports import imports, upload
from sessions_app.dash.jobs import job_act, jobs
from sessions_app.dash.listing.acts import export_selected, undo
from sessions_app.dash.listing.page import sessions
from sessions_app.dash.registry.agents import agent, agents
from sessions_app.dash.registry.agents import delete as delete_agent
from sessions_app.dash.registry.keys import list_keys, revoke
from sessions_app.dash.registry.people import password, people, person
from sessions_app.dash.searching.page import search
from sessions_app.dash.session.changes import undo_message_change
from sessions_app.dash.session.compare import compare_page
from sessions_app.dash.session.events import events
from sessions_app.dash.session.exports import export
from sessions_app.dash.session.fork import fork
from sessions_app.dash.session.message_acts import label, message, set_head
from sessions_app.dash.session.message_changes import delete, edit
from sessions_app.dash.session.naming import archive, rename
from sessions_app.dash.session.news import news
from sessions_app.dash.session.page import part, rows, session
from sessions_app.dash.session.rail.views import rail_piece
from sessions_app.dash.session.raw import raw
from sessions_app.dash.session.tree import tree
from sessions_app.dash.spend.budgets import budget, budget_delete, budgets
from sessions_app.dash.spend.page import spend, spend_csv
from sessions_app.dash.spend.prices import price, price_delete, prices, prices_sync
from sessions_app.dash.spend.reprice import reprice_page
from sessions_app.dash.spend.session import session_usage
from sessions_app.dash.spend.webhooks import webhook, webhooks

urlpatterns = [
    # sessions
    path("sessions", sessions, name="sessions"),
    path("sessions/undo", undo, name="sessions-undo"),
    path("sessions/export", export_selected, name="sessions-export"),
    # session
    path("sessions/<int:pk>", session, name="session"),
    path("sessions/<int:pk>/rows", rows, name="session-rows"),
    path("sessions/<int:pk>/news", news, name="session-news"),
    path("sessions/<int:pk>/part", part, name="session-part"),
    path("sessions/<int:pk>/message", message, name="session-message"),
    path("sessions/<int:pk>/label", label, name="session-label"),
    path("sessions/<int:pk>/head", set_head, name="session-head"),
    path("sessions/<int:pk>/edit", edit, name="session-edit"),
    path("sessions/<int:pk>/delete", delete, name="session-delete"),
    path(
        "sessions/<int:pk>/changes/<int:change>/undo",
        undo_message_change,
        name="session-undo-change",
    ),
    path("sessions/<int:pk>/tree", tree, name="session-tree"),
    path("sessions/<int:pk>/rail", rail_piece, name="session-rail"),
    path("sessions/<int:pk>/compare", compare_page, name="session-compare"),
    path("sessions/<int:pk>/fork", fork, name="session-fork"),
    path("sessions/<int:pk>/rename", rename, name="session-rename"),
    path("sessions/<int:pk>/archive", archive, name="session-archive"),
    # compactions
    path(
        "sessions/<int:pk>/compactions", session_compactions, name="session-compactions"
    ),
    path(
        "sessions/<int:pk>/compactions/status",
        compaction_status,
        name="compaction-status",
    ),
    path("sessions/<int:pk>/compactions/make", compaction_make, name="compaction-make"),
    path(
        "sessions/<int:pk>/compactions/count", compaction_count, name="compaction-count"
    ),
    path(
        "sessions/<int:pk>/compactions/<str:uid>/disable",
        compaction_disable,
        name="compaction-disable",
    ),
    path(
        "sessions/<int:pk>/compactions/<str:uid>/enable",
        compaction_enable,
        name="compaction-enable",
    ),
    path(
        "sessions/<int:pk>/compactions/<str:uid>/edit",
        compaction_edit,
        name="compaction-edit",
    ),
    path(
        "sessions/<int:pk>/compactions/<str:uid>/delete",
        compaction_delete,
        name="compaction-delete",
    ),
    # usage
    path("sessions/<int:pk>/usage", session_usage, name="session-usage"),
    # events and raw
    path("sessions/<int:pk>/events", events, name="session-events"),
    path("sessions/<int:pk>/raw", raw, name="session-raw"),
    path("sessions/<int:pk>/export", export, name="session-export"),
    # search
    path("search", search, name="search"),
    # spend
    path("spend", spend, name="spend"),
    path("spend.csv", spend_csv, name="spend-csv"),
    path("prices", prices, name="prices"),
    path("prices/sync", prices_sync, name="prices-sync"),
    path("prices/reprice", reprice_page, name="reprice"),
    path("prices/<int:pk>", price, name="price"),
    path("prices/<int:pk>/delete", price_delete, name="price-delete"),
    path("budgets", budgets, name="budgets"),
    path("budgets/<int:pk>", budget, name="budget"),
    path("budgets/<int:pk>/delete", budget_delete, name="budget-delete"),
    path("webhooks", webhooks, name="webhooks"),
    path("webhooks/<int:pk>", webhook, name="webhook"),
    # operations
    path("import", imports, name="import"),
    path("import/<int:pk>", upload, name="upload"),
    path("agents", agents, name="agents"),
    path("agents/<int:pk>", agent, name="agent"),
    path("agents/<int:pk>/delete", delete_agent, name="agent-delete"),
    path("keys", list_keys, name="keys"),
    path("keys/<int:pk>/revoke", revoke, name="key-revoke"),
    path("people", people, name="people"),
    path("people/<int:pk>", person, name="person"),
    path("password", password, name="password"),
    path("jobs", jobs, name="jobs"),
    path("jobs/<int:pk>", job_act, name="job"),
]
