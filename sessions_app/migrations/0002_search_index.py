"""
The text index over SearchDocument, as raw SQL.

SQLite: an FTS5 table that holds the index only and reads the text from the
document table (external content), with triggers that keep it in step; and a
second one of trigrams, for the documents that hold CJK: there the first makes one
token of a whole run of characters.

PostgreSQL: a tsvector column, which sessions_app.search.postgres fills with the
stems that FTS5 would have made, so that both databases find the same.

A later migration that remakes the document table on SQLite (any AlterField on
it) drops its triggers: it must end with a VendorSQL that creates them again.
tests/sessions_app/search/test_index.py fails if one forgets.
"""

from __future__ import annotations

from django.db import migrations

from sessions_app.operations import VendorSQL

WORDS = """
CREATE VIRTUAL TABLE sessions_app_search USING fts5 (
    text,
    content='sessions_app_searchdocument',
    content_rowid='id',
    tokenize='porter unicode61'
)
"""

CJK_DOCUMENTS = """
CREATE VIEW sessions_app_cjkdocument AS
SELECT id, text FROM sessions_app_searchdocument WHERE cjk
"""

TRIGRAMS = """
CREATE VIRTUAL TABLE sessions_app_trigrams USING fts5 (
    text,
    content='sessions_app_cjkdocument',
    content_rowid='id',
    tokenize='trigram'
)
"""

AFTER_INSERT = """
CREATE TRIGGER sessions_app_search_ai
AFTER INSERT ON sessions_app_searchdocument BEGIN
    INSERT INTO sessions_app_search (rowid, text) VALUES (new.id, new.text);
END
"""

AFTER_DELETE = """
CREATE TRIGGER sessions_app_search_ad
AFTER DELETE ON sessions_app_searchdocument BEGIN
    INSERT INTO sessions_app_search (sessions_app_search, rowid, text)
    VALUES ('delete', old.id, old.text);
END
"""

AFTER_UPDATE = """
CREATE TRIGGER sessions_app_search_au
AFTER UPDATE OF text ON sessions_app_searchdocument BEGIN
    INSERT INTO sessions_app_search (sessions_app_search, rowid, text)
    VALUES ('delete', old.id, old.text);
    INSERT INTO sessions_app_search (rowid, text) VALUES (new.id, new.text);
END
"""

AFTER_CJK_INSERT = """
CREATE TRIGGER sessions_app_trigrams_ai
AFTER INSERT ON sessions_app_searchdocument WHEN new.cjk BEGIN
    INSERT INTO sessions_app_trigrams (rowid, text) VALUES (new.id, new.text);
END
"""

AFTER_CJK_DELETE = """
CREATE TRIGGER sessions_app_trigrams_ad
AFTER DELETE ON sessions_app_searchdocument WHEN old.cjk BEGIN
    INSERT INTO sessions_app_trigrams (sessions_app_trigrams, rowid, text)
    VALUES ('delete', old.id, old.text);
END
"""

# A text may lose or gain its CJK, hence one trigger for each side.
BEFORE_CJK_UPDATE = """
CREATE TRIGGER sessions_app_trigrams_bu
BEFORE UPDATE OF text, cjk ON sessions_app_searchdocument WHEN old.cjk BEGIN
    INSERT INTO sessions_app_trigrams (sessions_app_trigrams, rowid, text)
    VALUES ('delete', old.id, old.text);
END
"""

AFTER_CJK_UPDATE = """
CREATE TRIGGER sessions_app_trigrams_au
AFTER UPDATE OF text, cjk ON sessions_app_searchdocument WHEN new.cjk BEGIN
    INSERT INTO sessions_app_trigrams (rowid, text) VALUES (new.id, new.text);
END
"""

VECTOR = "ALTER TABLE sessions_app_searchdocument ADD COLUMN vector tsvector"

VECTOR_INDEX = """
CREATE INDEX sessions_app_search ON sessions_app_searchdocument USING gin (vector)
"""


class Migration(migrations.Migration):
    dependencies = [("sessions_app", "0001_initial")]

    operations = [
        VendorSQL(
            "sqlite",
            sql=[
                WORDS,
                CJK_DOCUMENTS,
                TRIGRAMS,
                AFTER_INSERT,
                AFTER_DELETE,
                AFTER_UPDATE,
                AFTER_CJK_INSERT,
                AFTER_CJK_DELETE,
                BEFORE_CJK_UPDATE,
                AFTER_CJK_UPDATE,
            ],
            reverse_sql=[
                "DROP TRIGGER sessions_app_trigrams_au",
                "DROP TRIGGER sessions_app_trigrams_bu",
                "DROP TRIGGER sessions_app_trigrams_ad",
                "DROP TRIGGER sessions_app_trigrams_ai",
                "DROP TRIGGER sessions_app_search_au",
                "DROP TRIGGER sessions_app_search_ad",
                "DROP TRIGGER sessions_app_search_ai",
                "DROP TABLE sessions_app_trigrams",
                "DROP VIEW sessions_app_cjkdocument",
                "DROP TABLE sessions_app_search",
            ],
        ),
        VendorSQL(
            "postgresql",
            sql=[VECTOR, VECTOR_INDEX],
            reverse_sql=[
                "DROP INDEX sessions_app_search",
                "ALTER TABLE sessions_app_searchdocument DROP COLUMN vector",
            ],
        ),
    ]
