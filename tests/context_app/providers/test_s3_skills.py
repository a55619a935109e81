"""Skills in a bucket, over the protocol of S3, against a server that speaks it."""

from __future__ import annotations

import boto3
import pytest
from moto.server import ThreadedMotoServer

from context_app.services.prompts import freeze_prompt
from tests.blocks import block, content, entry, tool

BUCKET = "skills-bucket"
KEYS = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}


@pytest.fixture(scope="module")
def endpoint():
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(endpoint, settings):
    s3 = boto3.resource("s3", endpoint_url=endpoint, region_name="us-east-1", **KEYS)
    bucket = s3.create_bucket(Bucket=BUCKET)
    settings.STORAGES = {
        **settings.STORAGES,
        "skills": {
            "BACKEND": "storages.backends.s3.S3Storage",
            "OPTIONS": {
                "bucket_name": BUCKET,
                "endpoint_url": endpoint,
                "access_key": "test",
                "secret_key": "test",
                "region_name": "us-east-1",
                "file_overwrite": True,
            },
        },
    }
    yield bucket
    bucket.objects.delete()
    bucket.delete()


@pytest.fixture
def documents(bucket):
    bucket.put_object(
        Key="skills/pirate",
        Body=b"Arr",
        Metadata={"description": "Speaks like a pirate"},
    )
    bucket.put_object(
        Key="skills/deep/navy.md", Body=b"---\ndescription: Navy\n---\nAye"
    )
    bucket.put_object(Key="skills/plain", Body=b"Plain")
    bucket.put_object(Key="elsewhere", Body=b"Secret")
    return bucket


def skills(session, label="skills", **storage):
    return block(session, label, kind="skill", source="storage", storage=storage)


def test_it_works(session, documents):
    skills(session, prefix="skills/")

    assert content(session, "skills") == (
        "- deep/navy.md: Navy\n- pirate: Speaks like a pirate\n- plain"
    )
    assert tool(session, "load_context", label="skills", key="pirate") == "Arr"
    for key in ("none", "../elsewhere", "deep"):
        assert (
            tool(session, "load_context", label="skills", key=key)
            == f"Not found: {key}"
        )


def test_an_allow_list(session, documents):
    skills(session, prefix="skills/", keys=["plain"])

    assert content(session, "skills") == "- plain"
    answer = tool(session, "load_context", label="skills", key="pirate")
    assert answer == "Not found: pirate"


def test_a_document_is_written(session, documents):
    made = skills(session, prefix="skills/", writable=True)

    for text in ("one", "two"):
        entry(made, "new", text, description="Is new")

    stored = documents.Object("skills/new").get()["Body"].read().decode()
    assert stored.endswith("two")
    assert content(session, "skills").split("\n")[1] == "- new: Is new"


@pytest.mark.slow
def test_many_pages(session, bucket):
    for number in range(1005):
        bucket.put_object(
            Key=f"many/{number:04}", Body=b"", Metadata={"description": "x"}
        )

    skills(session, prefix="many/")

    assert len(content(session, "skills").split("\n")) == 1001


def test_a_bucket_that_is_gone(session, documents):
    skills(session, prefix="skills/")
    assert "pirate" in freeze_prompt(session=session).text
    documents.objects.delete()
    documents.delete()

    answer = tool(session, "load_context", label="skills", key="pirate")

    assert answer in (
        "Not found: pirate",
        "Error: The storage of the skills does not answer",
    )
    documents.create()
