"""Answers to questions that no single passage answers: of whole documents, of which there are, of what changed.

Each form of question has its file here, a function that gives an `Answer`, or None where the base has nothing of the
kind: then the question is searched for as any other.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import cast

from rove.answer.cite import cite
from rove.models import ChatModel
from rove.records import Chunk, Citation, DocumentInfo, Filter, Hit
from rove.records.document import Span
from rove.retrieve import SearchContext

MOST_LISTED = 20
LISTED = 5_000
"""Documents of a base up to which all their names are looked at."""


@dataclass(frozen=True, slots=True)
class FormQuestion:
    """A question of a form, and what it is answered with. `where`: of which documents; `chat`: None: there is none.

    `sure`: it is of the form whatever it names; else only where it names a document, and nothing else.
    """

    text: str
    language: str
    where: Filter | None
    search_context: SearchContext
    chat: ChatModel | None = None
    sure: bool = True


@dataclass
class References:
    """The passages that an answer rests on, each once, numbered from 1 in the order that they are cited."""

    hits: list[Hit]

    def cite(self, document: DocumentInfo, chunk: Chunk, span: Span) -> Citation:
        """Return the citation of a span of the document's text, within the chunk, which joins the references."""
        hit = Hit(chunk, 0.0, uri=document.source, title=document.title)
        ids = [one.chunk.chunk_id for one in self.hits]
        if chunk.chunk_id not in ids:
            self.hits.append(hit)
            ids.append(chunk.chunk_id)
        start = chunk.span[0]
        return cite(hit, ids.index(chunk.chunk_id) + 1, (span[0] - start, span[1] - start))


def form_sentence(what: str, language: str, **values: object) -> str:
    """Return a sentence of `forms.toml`, filled in."""
    texts = _form_sentence_table()[what]
    return texts.get(language.partition("-")[0].lower(), texts["en"]).format(**values)


@cache
def _form_sentence_table() -> Mapping[str, Mapping[str, str]]:
    text = files("rove.answer").joinpath("forms.toml").read_text("utf-8")
    return cast("Mapping[str, Mapping[str, str]]", tomllib.loads(text))
