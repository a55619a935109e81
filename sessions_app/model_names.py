"""
Who sold a call, and what its model may be called in a price list.

The same model comes as ``claude-sonnet-4-5-20250929``, ``models/gemini-2.5-flash``,
``openrouter/anthropic/claude-sonnet-4.5``, ``us.anthropic.claude-sonnet-4-5-v1:0``,
``@cf/meta/llama-3.1-8b-instruct``; and providers by the names that libraries have for
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# The price list's names for providers, by what else they are called.
ALIASES = {
    "amazon": "aws",
    "amazon-bedrock": "aws",
    "azure-openai": "azure",
    "azure-openai-responses": "azure",
    "bedrock": "aws",
    "bedrock-converse": "aws",
    "claude": "anthropic",
    "cloudflare-workers-ai": "cloudflare",
    "workers-ai": "cloudflare",
    "workersai": "cloudflare",
    "fireworks-ai": "fireworks",
    "gemini": "google",
    "google-genai": "google",
    "google-gemini-cli": "google",
    "google-vertex": "google",
    "google-vertexai": "google",
    "google-generative-ai": "google",
    "grok": "x-ai",
    "xai": "x-ai",
    "mistralai": "mistral",
    "moonshot": "moonshotai",
    "openai-codex": "openai",
    "meta-llama": "meta",
    "qwen-ai": "qwen",
    "together-ai": "together",
    "togetherai": "together",
    "vertex": "google",
    "vertex-ai": "google",
    "vertexai": "google",
    "z-ai": "zai",
    "github-models": "github-copilot",
}

# Who makes models, and sells them under names that nobody else has: looked through
# where nobody says who sold a call.
MAKERS = (
    "anthropic",
    "openai",
    "google",
    "mistral",
    "deepseek",
    "x-ai",
    "cohere",
    "moonshotai",
    "zai",
    "minimax",
    "meta",
)

# What is no provider's name, but that of a format or of a library.
FORMATS = frozenset(
    ("", "ai-sdk", "ai-sdk-model", "langchain", "litellm", "openai-chat", "raw", "pi",
     "openai-responses", "openai-compatible", "araliya")
)  # fmt: skip

# Who sells others' models, at the makers' prices where it has none of its own.
SELLERS = {
    "azure": ("openai", "anthropic", "deepseek", "x-ai", "moonshotai"),
    "google": ("anthropic",),
    "aws": ("anthropic",),
    "openrouter": MAKERS,
    "vercel": MAKERS,
}

REGION = re.compile(r"^(us-gov|us|eu|apac|ap|au|jp|ca|sa|me|af|global)\.(?=[a-z])")
DATE = re.compile(r"[-@](20\d{2}-?[01]\d-?[0-3]\d)(?=$|-v\d|:)")
VERSION = re.compile(r"-v\d+:\d+[a-z0-9]*$")


def providers_of(provider: str, model: str) -> tuple[str, ...]:
    """
    Return who may have sold a call, the likeliest first, as the price list names them.

    A provider that is given and not known stays as it is: a model of a known name that
    somebody runs himself does not cost what its maker takes.
    """
    name = provider.lower().replace("_", "-").strip()
    if name not in FORMATS:
        name = name.split(".")[0].split("/")[-1]
    name = ALIASES.get(name, name)
    if name not in FORMATS:
        return (name, *SELLERS.get(name, ()))
    first = model.lower().split("/")[0] if "/" in model else ""
    first = ALIASES.get(first, first)
    if model.startswith("@cf/"):
        return ("cloudflare",)
    if first in ("models", "publishers"):
        return ("google", *SELLERS["google"])
    if first:
        return (first, *SELLERS.get(first, ()))
    return MAKERS


def names_of(model: str) -> list[str]:
    """Return what a model may be called, from the whole name to the barest."""
    name = model.lower().strip().removeprefix("models/")
    found: dict[str, None] = {}
    for part in _endings(name):
        for each in (part, REGION.sub("", part), _without_maker(part)):
            dateless = DATE.sub("", each)
            found.update(dict.fromkeys((each, dateless, VERSION.sub("", dateless))))
    found.pop("", None)
    return list(found)


def _endings(name: str) -> Iterator[str]:
    """Return a path, and what is left of it as its beginnings are taken away."""
    yield name
    while "/" in name:
        name = name.split("/", 1)[1]
        yield name


def _without_maker(name: str) -> str:
    """Return a name of Bedrock's without its region and maker, or as it was."""
    bare = REGION.sub("", name)
    maker, _, rest = bare.partition(".")
    return rest if maker.isalpha() and rest[:1].isalpha() else bare
