"""The template by which chunks are indexed: a form around title and text, the same for real and for made-up answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rove.records import Chunk
from rove.records.chunk import ANSWER_SLOT, QUERY_SLOT


def by_template(chunks: Sequence[Chunk], template: str) -> list[Chunk]:
    r"""Return the chunks with a prefix that makes of `Chunk.indexed_text` what the template says; "" changes nothing.

    `{query}` is what stood before the text (its title and headings), `{answer}`, at the very end, the text itself.

    >>> chunk = Chunk("c", "d", "At eight.", (0, 9), 0, prefix="When does it open?")
    >>> by_template([chunk], "instruction\nQuery: {query}\nAnswer: {answer}")[0].indexed_text
    'instruction\nQuery: When does it open?\nAnswer: At eight.'
    """
    if not template:
        return list(chunks)
    before = template.removesuffix(ANSWER_SLOT)
    # `indexed_text` puts a line break behind a prefix, unless it ends in a space.
    before = before.removesuffix("\n")
    return [replace(chunk, prefix=before.replace(QUERY_SLOT, chunk.prefix)) for chunk in chunks]
