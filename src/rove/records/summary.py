"""A summary: what a document or a section says in few sentences, each tied to the words it is made from."""

from __future__ import annotations

from dataclasses import dataclass

from rove.records.document import Span


@dataclass(frozen=True, slots=True)
class SummarySentence:
    """A sentence, and the spans of the document's canonical text that say it; without a chat model it is they."""

    text: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a span of a document says: all of it, a section, or a part of a long section without headings.

    `headings`: those that lead to it, outermost first; none of a document as a whole. `by`: what has made it.
    """

    document_id: str
    span: Span
    headings: tuple[str, ...]
    sentences: tuple[SummarySentence, ...]
    by: str = ""

    @property
    def text(self) -> str:
        """The sentences on one line."""
        return " ".join(sentence.text for sentence in self.sentences)
