"""
Skills that are files: in a folder, or in a bucket through Django's storage API.

``STORAGES["skills"]`` says where. A block reads what lies under its ``prefix``, and
of that, where ``keys`` is not empty, only those. Nothing of it may be done inside a
transaction: a bucket may be slow.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple

from django.core.exceptions import SuspiciousOperation
from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage, storages

from context_app.models import Block
from context_app.providers.front_matter import (
    description_in_meta,
    description_of,
    with_description,
    with_description_in_meta,
)
from context_app.providers.shapes import Listed, StorageUnavailable, listing
from sessions_app.sql.outside import check_outside

ALIAS = "skills"
META = ".meta"

# Of larger files only the beginning is read, in bytes; and beyond so many, no more are
# listed: each is opened for its description.
LARGEST = 1024 * 1024
MOST = 1_000
MORE = "(there are more, which are not listed)"

# A bucket takes its time for each document, whether it is asked for one or for eight.
AT_ONCE = 8
_pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="skills")


class Document(NamedTuple):
    """A file, and what it says of itself or a file beside it does."""

    text: str
    description: str


class StorageSkills:
    """Documents that a model loads by their names below a prefix."""

    def __init__(self, block: Block) -> None:
        self.prefix: str = block.storage.get("prefix", "")
        self.allowed: list[str] = block.storage.get("keys", [])

    @property
    def storage(self) -> Storage:
        return storages[ALIAS]

    def get(self) -> str | None:
        keys, known = self._all()
        text = listing(self._describe(keys[:MOST], known))
        return f"{text}\n{MORE}" if len(keys) > MOST else text

    def search(self, query: str) -> str | None:
        return None

    def load(self, key: str) -> str | None:
        if not self.may_read(key):
            return None
        with _failures():
            return self._read(self.prefix + key)

    def find(self, key: str) -> Document | None:
        """Return a document, whether or not it is one of the allow-list."""
        if not is_safe(key):
            return None
        with _failures():
            return self._find(key)

    def put(self, key: str, content: str, description: str) -> None:
        """
        Write a document; the allow-list does not apply, as in the reference.

        :raises StorageUnavailable: if the key cannot be a file's, or the storage fails
        """
        check_key(key)
        with _failures():
            meta = self._read(self.prefix + key + META)
            if meta is None:
                content = with_description(content, description)
            elif description_in_meta(meta) != description:
                self._write(key + META, with_description_in_meta(meta, description))
            self._write(key, content)

    def remove(self, key: str) -> None:
        with _failures():
            self.storage.delete(self.prefix + key)
            self.storage.delete(self.prefix + key + META)

    def names(self) -> list[str]:
        """Return the names of all documents, in order."""
        return self._all()[0]

    def describe(self, keys: Sequence[str]) -> list[Listed]:
        """Return documents as they are listed; those that have gone are left out."""
        return self._describe(keys, self._all()[1])

    def may_read(self, key: str) -> bool:
        """Say whether a key is one of the block's."""
        allowed = not self.allowed or key in self.allowed
        return allowed and is_safe(key) and not key.endswith(META)

    def _all(self) -> tuple[list[str], set[str]]:
        """Return the names of documents, and those of all files."""
        with _failures():
            known = set(self._keys())
        return [key for key in sorted(known) if self.may_read(key)], known

    def _describe(self, keys: Sequence[str], known: set[str]) -> list[Listed]:
        with _failures():
            found = _pool.map(lambda key: self._listed(key, known), keys)
            return [each for each in found if each is not None]

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

    def _listed(self, key: str, known: set[str]) -> Listed | None:
        meta = self._read(self.prefix + key + META) if key + META in known else None
        if meta is not None:
            return Listed(key, description_in_meta(meta))
        try:
            with self.storage.open(self.prefix + key) as file:
                return Listed(
                    key, _custom_metadata(file) or description_of(_text(file))
                )
        except FileNotFoundError:
            return None
        except PermissionError:
            # One file that is not ours to read does not take the others along.
            return Listed(key, "")

    def _find(self, key: str) -> Document | None:
        meta = self._read(self.prefix + key + META)
        try:
            with self.storage.open(self.prefix + key) as file:
                text = _text(file)
                said = _custom_metadata(file) or description_of(text)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None
        return Document(text, said if meta is None else description_in_meta(meta))

    def _read(self, name: str) -> str | None:
        try:
            with self.storage.open(name) as file:
                return _text(file)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None

    def _write(self, key: str, text: str) -> None:
        name = self.prefix + key
        if self.storage.get_available_name(name) != name:
            # This storage writes over nothing.
            self.storage.delete(name)
        self.storage.save(name, ContentFile(text.encode()))


def is_safe(key: str) -> bool:
    """
    Say whether a key stays below its prefix, names nothing that is hidden, and stands
    on one line of a list.
    """
    plain = "\\" not in key and "\0" not in key and len(key.splitlines()) == 1
    return plain and all(part and not part.startswith(".") for part in key.split("/"))


def check_key(key: str) -> None:
    """
    :raises StorageUnavailable: if a key cannot be the name of a document
    """
    if not is_safe(key) or key.endswith(META):
        raise StorageUnavailable(f"{key!r} cannot be the name of a file", key=key)


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
    """
    Turn what storages raise into an error of ours.

    :raises InTransaction: if a transaction is open
    """
    check_outside()
    try:
        yield
    except _storage_errors() as exc:
        raise StorageUnavailable("The storage of the skills does not answer") from exc


def _storage_errors() -> tuple[type[Exception], ...]:
    # What has not been loaded cannot have raised: so S3 stays an extra.
    of_s3 = [
        getattr(sys.modules[module], name)
        for module, name in OF_S3
        if module in sys.modules
    ]
    return (OSError, SuspiciousOperation, *of_s3)


OF_S3 = (
    ("botocore.exceptions", "BotoCoreError"),
    ("botocore.exceptions", "ClientError"),
    ("boto3.exceptions", "Boto3Error"),
    ("s3transfer.exceptions", "RetriesExceededError"),
)
