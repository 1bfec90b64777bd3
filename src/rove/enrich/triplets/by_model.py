"""Who does what to whom, as a chat model reads it: each triplet with a quotation that holds it, or left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import BaseModel, Field

from rove.enrich.triplets import keyed
from rove.enrich.triplets.said import MOST_CHARS, Said
from rove.language.token_count import count_tokens
from rove.models import ChatModel
from rove.models.prompts import fence_material, prompt
from rove.models.typed import reply_as
from rove.records import Chunk
from rove.records.graph import Triplet

BATCH_CHARS = 2_000
"""What the chat model is shown at once, in characters."""
MOST_TRIPLETS = 40
REPLY_TOKENS = 300
"""What a reply is reckoned at before any was seen."""


class NamedTriplet(BaseModel):
    """A triplet, as the model writes it."""

    subject: str = Field(max_length=MOST_CHARS)
    predicate: str = Field(max_length=MOST_CHARS)
    object: str = Field(max_length=MOST_CHARS)
    quote: str = Field(max_length=1_000)


class NamedTriplets(BaseModel):
    """What the model writes."""

    triplets: list[Annotated[NamedTriplet, Field()]] = Field(max_length=MOST_TRIPLETS)


class TripletModel:
    """Asks a chat model for triplets, several short chunks at a time. `not_held` counts what was left out."""

    reply_tokens = REPLY_TOKENS

    def __init__(self, chat: ChatModel) -> None:
        self.chat = chat
        self.not_held = 0

    def batches(self, chunks: Sequence[Chunk]) -> Iterator[list[Chunk]]:
        """Put the chunks of a document together, up to `BATCH_CHARS`; tables and code are left to the rules."""
        batch: list[Chunk] = []
        for chunk in chunks:
            if chunk.kind != "text":
                continue
            if batch and sum(len(one.text) for one in batch) + len(chunk.text) > BATCH_CHARS:
                yield batch
                batch = []
            batch.append(chunk)
        if batch:
            yield batch

    def asked(self, chunks: Sequence[Chunk]) -> str:
        """Return what the model is asked of these chunks."""
        return f"The text:\n{fence_material(chr(10).join(chunk.text for chunk in chunks), 'text')}"

    def tokens(self, asked: str) -> int:
        """Return how many tokens a call takes in, by estimate."""
        return count_tokens(prompt("rove.enrich", "triplets")) + count_tokens(asked)

    async def triplets(self, chunks: Sequence[Chunk]) -> list[tuple[str, Triplet]]:
        """Return what the model finds that the chunks hold, each with its chunk's id.

        Raises:
            ServiceError: the model failed.
        """
        wrote = await reply_as(self.chat, NamedTriplets, prompt("rove.enrich", "triplets"), self.asked(chunks))
        found: list[tuple[str, Triplet]] = []
        for one in wrote.triplets:
            held = next((pair for chunk in chunks if (pair := held_in(one, chunk))), None)
            self.not_held += held is None
            found += [held] if held else []
        return found


def held_in(named: NamedTriplet, chunk: Chunk) -> tuple[str, Triplet] | None:
    """Return what a model names, tied to the words of a chunk; None where the chunk does not hold it.

    The quotation must stand in the chunk to the letter, and subject and object in the quotation, whatever their case.
    """
    quote = named.quote.strip()
    start = chunk.text.find(quote) if quote else -1
    words = quote.casefold()
    parts = (named.subject.strip(), named.object.strip())
    if start < 0 or not all(part and part.casefold() in words for part in parts):
        return None
    span = (chunk.span[0] + start, chunk.span[0] + start + len(quote))
    triplet = keyed(Said(parts[0], named.predicate.strip(), parts[1]), span, chunk.language)
    return (chunk.chunk_id, triplet) if triplet else None
