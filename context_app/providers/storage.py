"""
Skills that are files: in a folder, or in a bucket through Django's storage API.

``STORAGES["skills"]`` says where. A block reads what lies under its ``prefix``, and
of that, where ``keys`` is not empty, only those.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage, storages

from context_app.models import Block
from context_app.providers.front_matter import (
    description_in_meta,
    description_of,
    with_description,
)
from context_app.providers.shapes import Listed, StorageUnavailable, listing

ALIAS = "skills"
META = ".meta"

# Of larger files only the beginning is read, in bytes; and beyond so many, no more are
# listed: each is opened for its description.
LARGEST = 1024 * 1024
MOST = 1_000
MORE = "(there are more, which are not listed)"


class StorageSkills:
    """Documents that a model loads by their names below a prefix."""

    def __init__(self, block: Block) -> None:
        self.prefix: str = block.storage.get("prefix", "")
        self.allowed: list[str] = block.storage.get("keys", [])

    @property
    def storage(self) -> Storage:
        return storages[ALIAS]

    def get(self) -> str | None:
        entries = self.entries()
        text = listing(entries[:MOST])
        return f"{text}\n{MORE}" if len(entries) > MOST else text

    def search(self, query: str) -> str | None:
        return None

    def load(self, key: str) -> str | None:
        if not self._may_read(key):
            return None
        with _failures():
            return self._read(self.prefix + key)

    def describe(self, key: str) -> str:
        """Return the description of a document; empty where there is none."""
        if not is_safe(key):
            return ""
        with _failures():
            try:
                return self._description(key, {key + META})
            except FileNotFoundError:
                return ""

    def put(self, key: str, content: str, description: str) -> None:
        """
        Write a document; the allow-list does not apply, as in the reference.

        :raises StorageUnavailable: if the key cannot be a file's, or the storage fails
        """
        if not is_safe(key):
            raise StorageUnavailable(f"{key!r} cannot be the name of a file", key=key)
        name = self.prefix + key
        document = with_description(content, description)
        with _failures():
            if self.storage.get_available_name(name) != name:
                # This storage writes over nothing.
                self.storage.delete(name)
            self.storage.save(name, ContentFile(document.encode()))

    def remove(self, key: str) -> None:
        with _failures():
            self.storage.delete(self.prefix + key)

    def entries(self) -> list[Listed]:
        """Return what there is by name, at most one more than is listed."""
        with _failures():
            keys = sorted(self._keys())
            known = set(keys)
            shown = [key for key in keys if self._may_read(key)][: MOST + 1]
            return [Listed(key, self._description(key, known)) for key in shown]

    def _may_read(self, key: str) -> bool:
        allowed = not self.allowed or key in self.allowed
        return allowed and is_safe(key) and not key.endswith(META)

    def _keys(self) -> Iterator[str]:
        folder, slash, _ = self.prefix.rpartition("/")
        for name in self._names(folder + slash):
            if name.startswith(self.prefix) and name != self.prefix:
                yield name.removeprefix(self.prefix)

    def _names(self, folder: str) -> Iterator[str]:
        """Yield the names of the files below a folder, which ends with a slash."""
        try:
            folders, files = self.storage.listdir(folder)
        except FileNotFoundError:
            return
        yield from (folder + name for name in files if name)
        for each in folders:
            inner = f"{folder}{each}/"
            # Neither into what is hidden, nor where nothing of the prefix can be.
            if not each.startswith(".") and (
                inner.startswith(self.prefix) or self.prefix.startswith(inner)
            ):
                yield from self._names(inner)

    def _description(self, key: str, known: set[str]) -> str:
        name = self.prefix + key
        beside = self._read(name + META) if key + META in known else None
        if beside is not None:
            return description_in_meta(beside)
        with self.storage.open(name) as file:
            return _custom_metadata(file) or description_of(_text(file))

    def _read(self, name: str) -> str | None:
        try:
            with self.storage.open(name) as file:
                return _text(file)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None


def is_safe(key: str) -> bool:
    """Say whether a key stays below its prefix, and names nothing that is hidden."""
    plain = "\\" not in key and "\0" not in key
    return plain and all(part and not part.startswith(".") for part in key.split("/"))


def _text(file: File[Any]) -> str:
    raw = file.read(LARGEST)
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
    return text.replace("\0", "\ufffd")


def _custom_metadata(file: Any) -> str:
    """Return the description that S3 keeps beside an object, as django-storages has it."""
    metadata = getattr(getattr(file, "obj", None), "metadata", None) or {}
    return str(metadata.get("description", ""))


@contextmanager
def _failures() -> Iterator[None]:
    """Turn what storages raise into an error of ours."""
    try:
        yield
    except _storage_errors() as exc:
        raise StorageUnavailable("The storage of the skills does not answer") from exc


def _storage_errors() -> tuple[type[Exception], ...]:
    # What has not been loaded cannot have raised: so S3 stays an extra.
    botocore = sys.modules.get("botocore.exceptions")
    of_s3 = (botocore.BotoCoreError, botocore.ClientError) if botocore else ()
    return (OSError, SuspiciousOperation, *of_s3)
