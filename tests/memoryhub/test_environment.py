from __future__ import annotations

import stat
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from memoryhub import environment as env


@pytest.fixture
def given(monkeypatch):
    def give(value):
        monkeypatch.setenv("GIVEN", value)

    return give


@pytest.mark.parametrize("empty", ["", "  "])
def test_what_is_empty_is_not_given(given, empty):
    given(empty)

    assert env.text("GIVEN", "default") == "default"
    assert env.whole("GIVEN", 7) == 7
    assert env.seconds("GIVEN", 0.5) == 0.5
    assert env.flag("GIVEN") is False
    assert env.choice("GIVEN", "INFO", "DEBUG") == "INFO"
    assert env.names("GIVEN", "a,b") == ["a", "b"]
    assert env.path("GIVEN") == ""
    assert env.postgres("GIVEN") is None


@pytest.mark.parametrize(
    ("value", "read", "expected"),
    [
        (" word ", env.text, "word"),
        (" 12 ", lambda name: env.whole(name, 7), 12),
        ("0", lambda name: env.whole(name, 7), 0),
        ("0.25", lambda name: env.seconds(name, 5), 0.25),
        ("1", env.flag, True),
        ("Yes", env.flag, True),
        ("off", env.flag, False),
        ("debug", lambda name: env.choice(name, "INFO", "DEBUG"), "DEBUG"),
        ("a.org, b.org,", env.names, ["a.org", "b.org"]),
        ("memory", env.path, "/memory"),
        ("/a/memory/", env.path, "/a/memory"),
        ("/", env.path, ""),
    ],
)
def test_what_is_given_is_read(given, value, read, expected):
    given(value)

    assert read("GIVEN") == expected


@pytest.mark.parametrize(
    ("value", "read", "reason"),
    [
        ("lots", lambda name: env.whole(name, 7), "a whole number"),
        ("1.5", lambda name: env.whole(name, 7), "a whole number"),
        ("-1", lambda name: env.whole(name, 7), "0 or more"),
        ("0", lambda name: env.whole(name, 7, least=1), "1 or more"),
        ("soon", lambda name: env.seconds(name, 5), "a number of seconds"),
        ("0", lambda name: env.seconds(name, 5), "more than 0"),
        ("nan", lambda name: env.seconds(name, 5), "more than 0"),
        ("inf", lambda name: env.seconds(name, 5), "at most 86,400"),
        ("maybe", env.flag, "1 or 0"),
        ("loud", lambda name: env.choice(name, "INFO", "DEBUG"), "one of INFO, DEBUG"),
    ],
)
def test_what_is_wrong_is_refused_by_its_name(given, value, read, reason):
    given(value)

    with pytest.raises(ImproperlyConfigured, match=f"GIVEN is '{value}': .*{reason}"):
        read("GIVEN")


def test_the_address_of_a_postgresql(given):
    given("postgres://me:p%23ss@host:5433/name?sslmode=require")

    found = env.postgres("GIVEN")

    assert found is not None
    assert found["ENGINE"] == "django.db.backends.postgresql"
    assert (found["USER"], found["PASSWORD"]) == ("me", "p#ss")
    assert (found["HOST"], found["PORT"], found["NAME"]) == ("host", 5433, "name")
    assert found["OPTIONS"] == {"sslmode": "require"}


@pytest.mark.parametrize(
    "address",
    ["hello-word", "mysql://me:word@host/name", "sqlite:///word", "postgres:word",
     "postgres://me@host:word/name", "postgres://me:word/word@host/name"],
)  # fmt: skip
def test_no_address_of_a_postgresql(given, address):
    given(address)

    with pytest.raises(ImproperlyConfigured) as raised:
        env.postgres("GIVEN")

    assert "GIVEN" in str(raised.value)
    assert "postgres://user:password@host/name" in str(raised.value)
    assert "word" not in str(raised.value).replace("password", "")


def test_a_package_that_is_missing_is_named_with_what_installs_it(given):
    given("bucket")

    env.need("GIVEN", "django", extra="s3")
    with pytest.raises(ImproperlyConfigured, match=r"GIVEN .* -e '\.\[s3\]'"):
        env.need("GIVEN", "no_such_package", extra="s3")
    given("")
    env.need("GIVEN", "no_such_package", extra="s3")


def test_a_folder_is_made_for_its_owner(given, tmp_path):
    given(str(tmp_path / "new" / "data"))

    found = env.folder("GIVEN", tmp_path)

    assert found == tmp_path / "new" / "data"
    assert stat.S_IMODE(found.stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_a_folder_that_cannot_be_had_is_refused(given, tmp_path, name):
    (tmp_path / "file").touch()
    given(str(tmp_path / name))

    with pytest.raises(ImproperlyConfigured, match=f"{name}: .* Set GIVEN to a folder"):
        env.folder("GIVEN", tmp_path)


def test_a_secret_is_made_once_for_its_owner(tmp_path):
    kept = tmp_path / "secret"

    first = env.secret("GIVEN", kept=kept)

    assert len(first) > 50
    assert env.secret("GIVEN", kept=kept) == first
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert [*tmp_path.iterdir()] == [kept]


def test_of_two_who_make_the_secret_the_first_has_made_it(tmp_path, monkeypatch):
    kept = tmp_path / "secret"
    first = env.secret("GIVEN", kept=kept)
    # The second has looked before the first was done.
    monkeypatch.setattr(Path, "exists", lambda path: False)

    assert env.secret("GIVEN", kept=kept) == first


def test_a_secret_that_is_given_is_not_kept(given, tmp_path):
    given("mine")

    assert env.secret("GIVEN", kept=tmp_path / "secret") == "mine"
    assert not [*tmp_path.iterdir()]
