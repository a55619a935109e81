"""A bucket that gives up in time: a thread of the server waits for what it answers."""

from __future__ import annotations

from typing import Any

from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from django.core.files.storage import Storage
from storages.backends.s3 import S3Storage

# Seconds, and how often in all.
CONNECT, READ, ATTEMPTS = 5, 15, 2


def open_bucket(**options: Any) -> Storage:
    """Return a bucket as ``STORAGES`` names it: it takes the options of S3Storage."""
    bucket = S3Storage(**options)
    patience = Config(
        connect_timeout=CONNECT,
        read_timeout=READ,
        retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
    )
    bucket.client_config = bucket.client_config.merge(patience)
    # No threads of its own for each document.
    bucket.transfer_config = TransferConfig(
        use_threads=False, num_download_attempts=ATTEMPTS
    )
    opened: Storage = bucket
    return opened
