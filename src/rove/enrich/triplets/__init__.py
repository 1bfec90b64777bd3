"""Who does what to whom, found in texts without a model: by rules over sentences, tables, labels and lists.

A rule would rather say nothing than something wrong: denials, questions and guesses give no triplet. How often they are
right: docs/graph.md.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet

from rove.enrich.entities import Mention, mentions
from rove.enrich.triplets import chinese, german, hungarian, japanese, spaced
from rove.enrich.triplets.aliases import SAYS_ALIAS, aliases_in
from rove.enrich.triplets.clause import lexicon
from rove.enrich.triplets.layout import stated
from rove.enrich.triplets.said import Said
from rove.language.names import name_key
from rove.language.sentences import sentence_spans
from rove.records import Chunk
from rove.records.document import Span
from rove.records.graph import ALIAS, Triplet

READER = "rules 1"
"""What is kept as the reader of what these rules find; a new number lets `rove enrich graph` read all anew."""
LANGUAGES = frozenset({"en", "es", "fr", "de", "hu", "zh", "ja"})
MOST_TITLE, MOST_TITLE_WORDS = 60, 8
MOST_SENTENCE = 600
OPENING_CHARS, LEAST_NAME = 60, 3
PRONOUNS = frozenset[str]().union(*(lexicon(language).pronouns for language in ("en", "es", "fr", "de")))
UNSPACED = ("他", "她", "它", "其", "该", "該", "本", "彼", "同", "位于", "位於", "是")
_ASIDE = re.compile(r"(?<!\s)\s*+[(（\[][^()（）\[\]]*[)）\]]\s*+\Z")
_NUMBERED = re.compile(r"\d+(?:\.\d+)*\.?\s|[IVX]+\.\s|Chapter |Kapitel |第")
_WORD = re.compile(r"\w+")
_SPACES = re.compile(r"\s+")


def triplets_in(chunk: Chunk, title: str) -> list[Triplet]:
    """Return what a chunk says, each once. `title`: of its document; where that names a thing, "it" stands for it.

    Spans are offsets into the document's canonical text.
    """
    about, language, text = about_of(title), chunk.language, chunk.text
    head = (
        "\n".join(line for line in chunk.prefix.splitlines() if line.startswith("|")) if chunk.kind == "table" else ""
    )
    heading = chunk.headings[-1] if chunk.headings else ""
    found = [(one.said, one.span) for one in stated(text, chunk.kind, head, about, heading)]
    if language in LANGUAGES and chunk.kind == "text":
        found += _in_sentences(text, language, about)
        found += _in_brackets(text, language)
    kept: dict[tuple[str, str, str], Triplet] = {}
    for said, (start, end) in found:
        span = (chunk.span[0] + start, chunk.span[0] + end)
        if triplet := keyed(said, span, language):
            kept.setdefault((triplet.subject_key, triplet.predicate, triplet.object_key), triplet)
    return list(kept.values())


def triplets_of(text: str, language: str, span: Span) -> list[Triplet]:
    """Return what the sentences of a text say, all tied to one span: of a fact, which says what stands there."""
    found = _in_sentences(text, language, "") if language in LANGUAGES else ()
    triplets = (keyed(said, span, language) for said, _ in found)
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
    """Yield what sentences say. After one that speaks of somebody else, "he" is no longer what the title names."""
    kinds = {word.casefold() for word in about.split()}
    linked = True
    for start, end in sentence_spans(text, language):
        sentence = text[start:end]
        if end - start > MOST_SENTENCE or "|" in sentence:
            continue
        now = about if linked else ""
        linked = bool(about) and _goes_on(sentence[:OPENING_CHARS], about, kinds, still=linked)
        for said in _said(sentence, language, now, kinds):
            yield said, (start, end)
            if said.subject == about:
                kinds.add(said.object.rpartition(" ")[2].casefold())


def _said(sentence: str, language: str, about: str, kinds: Collection[str]) -> Sequence[Said]:
    if language == "zh":
        return chinese.said_in(sentence, about)
    if language == "ja":
        return japanese.said_in(sentence, about)
    if language == "de":
        return german.said_in(sentence, about, kinds)
    if language == "hu":
        return hungarian.said_in(sentence, about, kinds)
    return spaced.said_in(sentence, language, about, kinds)


def _goes_on(opening: str, about: str, kinds: AbstractSet[str], *, still: bool) -> bool:
    """Say whether a sentence speaks of what the text is about, so that "it" in the next one may mean that.

    `still`: the sentence before did.
    """
    words = _WORD.findall(opening.casefold())
    names = [word for word in about.casefold().split() if len(word) >= LEAST_NAME] or [about.casefold()]
    if any(name in opening.casefold() for name in names):
        return True
    means_it = bool(words) and (words[0] in PRONOUNS or not kinds.isdisjoint(words[:3]))
    return still and (means_it or opening.startswith(UNSPACED))


def _in_brackets(text: str, language: str) -> Iterator[tuple[Said, Span]]:
    if "(" in text or "（" in text:
        names: Sequence[Mention] = mentions(text, language)
        for said, start, end in aliases_in(text, names):
            yield said, (start, end)
