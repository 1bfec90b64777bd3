"""Vectors of a space's embedder, as OpenAI's API gives them.

Source: OpenAI's API reference, "Embeddings". `input_type` stands beside its fields: an embedder may take what is asked
and what is searched for differently.
"""

from __future__ import annotations

import base64
from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter, Request
from pydantic import ConfigDict, Field

from rove.errors import InputError
from rove.language.token_count import count_tokens
from rove.models import Embedder, Vectors
from rove.serve.admission.middleware import caller_of
from rove.serve.context import ServerContextIn
from rove.serve.openai.schema import ClientRequest
from rove.serve.schema import Reply
from rove.serve.streams import while_connected

router = APIRouter(prefix="/v1", tags=["openai"])
MAX_TEXTS, MAX_CHARS = 2_048, 100_000
AT_ONCE = 64
Text = Annotated[str, Field(max_length=MAX_CHARS)]
TOKENS = "`input` holds numbers of tokens, which this embedder cannot read."
NOTHING = "There is nothing to embed in `input`."
BLANK = "Text {place} of `input` is blank."
DIMENSION = "The embedder of this space gives {own} dimensions, not {wanted}."


class EmbeddingsIn(ClientRequest):
    """Texts to embed by the embedder of the space that `model` names.

    `input_type`: "query" for what is asked, "passage" for what is searched.
    """

    model_config = ConfigDict(json_schema_extra={"example": {"model": "default", "input": ["Remote work"]}})

    model: str = Field(max_length=64)
    input: Text | Annotated[list[Text] | list[int] | list[list[int]], Field(max_length=MAX_TEXTS)]
    input_type: Literal["query", "passage"] = "passage"
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = Field(default=None, ge=1)

    def texts(self) -> list[str]:
        """The texts.

        Raises:
            InputError: there are none, they are tokens, or one is blank.
        """
        given = [self.input] if isinstance(self.input, str) else self.input
        texts = [one for one in given if isinstance(one, str)]
        if not given:
            raise InputError(NOTHING, cure="Send a text, or a list of texts.")
        if len(texts) < len(given):
            raise InputError(TOKENS, cure="Send the texts themselves.")
        for place, text in enumerate(texts):
            if not text.strip():
                raise InputError(BLANK.format(place=place), cure="Leave it out.")
        return texts


class EmbeddingOut(Reply):
    """The vector of one text: numbers, or the base64 of its little-endian float32."""

    object: Literal["embedding"] = "embedding"
    index: int
    embedding: list[float] | str


class EmbeddingUsage(Reply):
    """Tokens of the texts, as Rove counts them."""

    prompt_tokens: int
    total_tokens: int


class EmbeddingsOut(Reply):
    """Vectors of unit length, in the order of the texts."""

    object: Literal["list"] = "list"
    data: list[EmbeddingOut]
    model: str
    usage: EmbeddingUsage


@router.post("/embeddings")
async def embeddings(wanted: EmbeddingsIn, request: Request, server: ServerContextIn) -> EmbeddingsOut:
    """Embed texts."""
    view = server.spaces.view(wanted.model, caller_of(request.scope))
    view.require("read")
    texts, embedder = wanted.texts(), view.kb.embedder
    own = embedder.fingerprint.dimension
    if wanted.dimensions not in {None, own}:
        message = DIMENSION.format(own=own, wanted=wanted.dimensions)
        raise InputError(message, cure="Leave out `dimensions`.")
    vectors = await while_connected(request, _embed_in_batches(embedder, texts, wanted.input_type))
    tokens = sum(map(count_tokens, texts))
    return EmbeddingsOut(
        data=[
            EmbeddingOut(index=place, embedding=_encode_embedding(vector, wanted.encoding_format))
            for place, vector in enumerate(vectors)
        ],
        model=wanted.model,
        usage=EmbeddingUsage(prompt_tokens=tokens, total_tokens=tokens),
    )


async def _embed_in_batches(embedder: Embedder, texts: list[str], kind: str) -> Vectors:
    """Embed a few at once, so that others' questions come between."""
    embed = embedder.queries if kind == "query" else embedder.passages
    return np.concatenate([await embed(texts[start : start + AT_ONCE]) for start in range(0, len(texts), AT_ONCE)])


def _encode_embedding(vector: Vectors, form: str) -> list[float] | str:
    if form == "base64":
        return base64.b64encode(vector.astype("<f4").tobytes()).decode()
    return vector.tolist()
