"""Who does what to whom, found in texts without a model: in tables, labels, lists, and between the names of sentences.

How much of prose that finds, and how often it is right: docs/graph.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rove.enrich.entities import Mention, mentions
from rove.enrich.triplets.aliases import SAYS_ALIAS, aliases_in
from rove.enrich.triplets.layout import stated
from rove.enrich.triplets.said import Said
from rove.enrich.triplets.sentence import said_in
from rove.language.names import name_key
from rove.language.sentences import sentence_spans
from rove.records import Chunk
from rove.records.document import Span
from rove.records.graph import ALIAS, TOGETHER, Triplet

READER = "rules 2"
"""What is kept as the reader of what these rules find; a new number lets `rove enrich graph` read all anew."""
MOST_TITLE, MOST_TITLE_WORDS = 60, 8
MOST_SENTENCE = 600
_ASIDE = re.compile(r"(?<!\s)\s*+[(（\[][^()（）\[\]]*[)）\]]\s*+\Z")
_NUMBERED = re.compile(r"\d+(?:\.\d+)*\.?\s|[IVX]+\.\s|Chapter |Kapitel |第")
_SPACES = re.compile(r"\s+")


def triplets_in(chunk: Chunk, title: str) -> list[Triplet]:
    """Return what a chunk says, each once. `title`: of its document; what that names is a name wherever it stands.

    Spans are offsets into the document's canonical text.
    """
    about, language, text = about_of(title), chunk.language, chunk.text
    head = (
        "\n".join(line for line in chunk.prefix.splitlines() if line.startswith("|")) if chunk.kind == "table" else ""
    )
    heading = chunk.headings[-1] if chunk.headings else ""
    found = [(one.said, one.span) for one in stated(text, chunk.kind, head, about, heading)]
    if chunk.kind == "text":
        found += _in_sentences(text, language, about)
        found += _in_brackets(text, language)
    kept: dict[tuple[str, str, str], Triplet] = {}
    for said, (start, end) in found:
        span = (chunk.span[0] + start, chunk.span[0] + end)
        if triplet := keyed(said, span, language):
            kept.setdefault((triplet.subject_key, triplet.predicate, triplet.object_key), triplet)
    said_of = {frozenset((one.subject_key, one.object_key)) for one in kept.values() if one.predicate != TOGETHER}
    return [
        one
        for one in kept.values()
        if one.predicate != TOGETHER or frozenset((one.subject_key, one.object_key)) not in said_of
    ]


def triplets_of(text: str, language: str, span: Span) -> list[Triplet]:
    """Return what the sentences of a text say, all tied to one span: of a fact, which says what stands there."""
    triplets = (keyed(said, span, language) for said, _ in _in_sentences(text, language, ""))
    return [triplet for triplet in triplets if triplet]


def keyed(said: Said, span: Span, language: str) -> Triplet | None:
    """Return a triplet with the keys of its names; None where a name has none, or both are the same."""
    subject, predicate, object_ = (_SPACES.sub(" ", part).strip() for part in said)
    predicate = ALIAS if predicate in SAYS_ALIAS else predicate
    subject_key, object_key = name_key(subject, language), name_key(object_, language)
    if not predicate or len(subject_key) < 2 or not object_key or subject_key == object_key:
        return None
    return Triplet(subject, predicate, object_, span, subject_key, object_key)


def about_of(title: str) -> str:
    """Return what a document is about, by its title; "" where the title is a number, a sentence or a file's name.

    >>> about_of("Mark King (musician)"), about_of("3.2. Installing"), about_of("Fresno,_California")
    ('Mark King', '', 'Fresno, California')
    """
    name = (
        _ASIDE.sub("", title.replace("_", " ")).strip()
        if " " not in title or title.endswith((")", "）", "]"))
        else title
    )
    name = name.strip()
    plain = 1 < len(name) <= MOST_TITLE and len(name.split()) <= MOST_TITLE_WORDS
    return name if plain and not _NUMBERED.match(name) and not name.endswith(("?", "？", "!", ".")) else ""


def _in_sentences(text: str, language: str, about: str) -> Iterator[tuple[Said, Span]]:
    """Yield what sentences say of the names in them; what is a name elsewhere in the text is one at their beginning."""
    known = {one.name for one in mentions(text, language) if one.sure}
    for start, end in sentence_spans(text, language):
        sentence = text[start:end]
        if end - start <= MOST_SENTENCE and "|" not in sentence:
            for said in said_in(sentence, language, about, known):
                yield said, (start, end)


def _in_brackets(text: str, language: str) -> Iterator[tuple[Said, Span]]:
    if "(" in text or "（" in text:
        names: Sequence[Mention] = mentions(text, language)
        for said, start, end in aliases_in(text, names):
            yield said, (start, end)
