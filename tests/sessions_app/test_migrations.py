from __future__ import annotations

import pytest
from django.core.management import call_command
from django.db import connection

from sessions_app.models import SearchDocument
from sessions_app.search import Scope
from sessions_app.search.backends import backend
from sessions_app.services.forest.creating import create_session
from sessions_app.services.registry.agents import create_agent
from sessions_app.services.searching import find_messages
from tests.builders import say

TRIGGERS = """
SELECT name FROM sqlite_master
WHERE type = 'trigger' AND tbl_name = 'sessions_app_searchdocument'
ORDER BY name
"""

INDEX = """
SELECT indexdef FROM pg_indexes WHERE indexname = 'sessions_app_search'
"""


@pytest.fixture
def _migrated_in_the_end():
    yield
    call_command("migrate", verbosity=0)


def rows(query):
    with connection.cursor() as cursor:
        cursor.execute(query)
        return [row[0] for row in cursor.fetchall()]


def tables():
    return {
        name
        for name in connection.introspection.table_names(include_views=True)
        if name.startswith(("sessions_app", "context_app"))
    }


@pytest.mark.django_db
def test_the_models_have_their_migrations():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_migrated_in_the_end")
def test_back_to_zero_and_forward_again():
    # What depends on it, as that of context_app, goes first.
    call_command("migrate", "sessions_app", "zero", verbosity=0)
    assert not tables()

    call_command("migrate", verbosity=0)

    assert "sessions_app_message" in tables()
    session = create_session(agent=create_agent("support"))
    say(session, "The deployment is on Friday", uid="m1")
    for text in ("friday", "*rida*"):
        (hit,) = find_messages(text=text, scope=Scope()).hits
        assert hit.message == "m1"


@pytest.mark.django_db
def test_the_index_is_there():
    if connection.vendor == "sqlite":
        assert rows(TRIGGERS) == [
            "sessions_app_search_ad",
            "sessions_app_search_ai",
            "sessions_app_search_au",
            "sessions_app_trigrams_ad",
            "sessions_app_trigrams_ai",
            "sessions_app_trigrams_au",
            "sessions_app_trigrams_bu",
        ]
    else:
        (index,) = rows(INDEX)
        assert "USING gin (vector)" in index


@pytest.mark.django_db
def test_the_index_follows_its_documents():
    document = SearchDocument.objects.create(ref=1, text="部署安排", cjk=True)
    for text, cjk in [("words", False), ("星期五的部署", True), ("more", False)]:
        SearchDocument.objects.filter(id=document.id).update(text=text, cjk=cjk)
        backend().check()
    document.delete()
    backend().check()
