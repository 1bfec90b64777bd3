"""HyDE: a made-up answer is searched for, in the form in which real ones are indexed (Gao et al., ACL 2023)."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from rove.chunk.label import HEADINGS
from rove.chunk.template import by_template
from rove.errors import ServiceError
from rove.models import ChatModel
from rove.models.prompts import prompt
from rove.question import AskedQuestion, question_part
from rove.records import Chunk, Filter, Hit
from rove.retrieve import SearchContext
from rove.retrieve.judging import searched
from rove.retrieve.ranked_lists import to_hits

MOST_CHARS = 1_500
DEPTH = 100


async def hypothetical_answer(asked: AskedQuestion, chat: ChatModel) -> str:
    """Let the model write an answer as a source would word it; what it claims is used to search, and for nothing else.

    Raises:
        ServiceError: the model failed, or wrote nothing.
    """
    pieces: list[str] = []
    stream = chat.stream(prompt("rove.question", "hyde"), question_part(asked.text))
    try:
        async for piece in stream:
            pieces.append(piece)
            if sum(map(len, pieces)) > MOST_CHARS:
                break
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
    answer = "".join(pieces).strip()[:MOST_CHARS]
    if not answer:
        message = f"{chat.name} wrote no hypothetical answer."
        raise ServiceError(message, cure="Ask again, or choose another chat.model.")
    return answer


def as_indexed(question: str, answer: str, prefix: str = HEADINGS, template: str = "") -> str:
    r"""Return a made-up answer as chunks are embedded (`Chunk.indexed_text`), with the question for its title.

    `prefix`, `template`: the settings of chunks; chunks without a title in front get none here.

    >>> as_indexed("How good is it?", "It is among the best.")
    'How good is it?\nIt is among the best.'
    >>> as_indexed("How good?", "The best.", template="instruction\nQuery: {query}\nAnswer: {answer}")
    'instruction\nQuery: How good?\nAnswer: The best.'
    """
    title = question if prefix == HEADINGS else ""
    return by_template([Chunk("", "", answer, (0, len(answer)), 0, prefix=title)], template)[0].indexed_text


async def search_by_answer(
    indexed: str, search_context: SearchContext, *, top_k: int, where: Filter | None = None
) -> list[Hit]:
    """Find what is near to a made-up answer, by meaning alone (mission E.4: dense only), best first.

    `indexed`: the answer, see `as_indexed`.
    """
    vector = (await search_context.embedder.passages([indexed]))[0]
    lists = await searched(search_context, indexed, vector=vector, top_k=max(DEPTH, top_k), where=where)
    return await to_hits(search_context, lists.ranked["semantic"][:top_k], lists)
