"""Bridges: names in a passage that the question does not hold yet, and through which its second half may be found."""

from __future__ import annotations

from collections.abc import Sequence

from rove.enrich.entities import Mention, mentions
from rove.language.names import name_key
from rove.language.sentences import sentence_spans
from rove.language.words import query_terms, terms

UNSURE = 0.5
FAR = 0.3
"""What a name counts for in a sentence that shares no word with the question, beside one that has them all."""


def bridges(question: str, text: str, language: str, *, known: Sequence[str] = ()) -> list[tuple[str, float]]:
    """Return the names in `text` that neither the question nor `known` holds, best first, each with a score, 0 to 1.

    score = certainty · (FAR + (1 - FAR) · share of the question's terms in the best sentence that has the name), where
    certainty is 1, or `UNSURE` for what may be a common word. Ties in the order of the text. `language` is the text's.

    >>> bridges("Who directed the film Titanic?", "Titanic was directed by James Cameron. It ran in Paris.", "en")
    [('James Cameron', 0.76...), ('Paris', 0.3)]
    """
    asked = set(query_terms(question, language))
    held = asked.union(*(query_terms(name, language) for name in known))
    scores: dict[str, float] = {}
    names: dict[str, str] = {}
    for start, end in sentence_spans(text, language):
        found = new_names(text[start:end], language, held)
        if found:
            shared = len(asked.intersection(terms(text[start:end], language))) / len(asked) if asked else 0.0
            for mention in found:
                key = name_key(mention.name, language)
                names.setdefault(key, mention.name)
                score = (1.0 if mention.sure else UNSURE) * (FAR + (1 - FAR) * shared)
                scores[key] = max(scores.get(key, 0.0), score)
    return sorted(((names[key], score) for key, score in scores.items()), key=lambda pair: -pair[1])


def new_names(text: str, language: str, held: set[str]) -> list[Mention]:
    """Return the mentions in a text that have a term which is not among those held."""
    return [
        mention
        for mention in mentions(text, language)
        if not held.issuperset(name_key(mention.name, language).split("_"))
    ]
