"""What a question asks for: a fact, the whole of a document, which there are, how many, what changed, all entries."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal, cast

from rove.language.cue_words import asking_spans
from rove.language.scripts import is_unspaced
from rove.language.words import query_terms
from rove.models import Embedder
from rove.question.logistic import Classifier
from rove.question.wording import telling_words

Form = Literal["fact", "summary", "list", "count", "items", "compare", "recent", "changes"]
LEAST: Mapping[str, float] = {
    "summary": 0.7,
    "changes": 0.45,
    "recent": 0.7,
    "list": 0.45,
    "count": 0.45,
    "items": 0.7,
    "compare": 0.65,
}
"""Chance from which on a question is taken for one of a form; below it, it is searched for as any other."""
LISTING: tuple[Form, ...] = ("list", "count")
"""Forms that ask for the same documents: which of the two it is, needs no chance of its own."""
LEAST_OF_NAMED = 0.2
OF_DOCUMENTS = ("summary", "list", "count", "recent", "changes")
"""Forms whose questions name a document or a subject, and nothing else beside what their examples say."""
_SLOT = re.compile(r"\{[a-z]\}")
SHORTEST = 2  # characters that are left out of a question in a script without spaces


async def form_of(question: str, embedder: Embedder) -> tuple[Form, bool]:
    """Return the form of a question, by a linear model over its vector, and whether that is sure.

    "fact" where no other is likely. What may ask for a summary is one, not surely: it is where it names a document and
    nothing else.

    The model is fitted on `form_examples.toml` for the packaged embedder (`train/question_form.py`); of another one's
    vectors it knows nothing, and all is "fact".

    Raises:
        ServiceError: the embedder failed.
    """
    model = _load_form_classifier()
    if model.made_of != str(embedder.fingerprint) or not question.strip():
        return "fact", True
    chances = model.probabilities(await embedder.queries([question]))[0]
    best = int(chances.argmax())
    form = cast("Form", model.classes[best])
    alike = LISTING if form in LISTING else (form,)
    if sum(chances[model.classes.index(one)] for one in alike) >= LEAST.get(form, 0.0) and form != "fact":
        return form, True
    may_be = chances[model.classes.index("summary")] >= LEAST_OF_NAMED
    return ("summary", False) if may_be else ("fact", True)


def subject_words(question: str, language: str) -> list[str]:
    """Return the words of a question that say what it is about, without those that say what it asks for.

    >>> subject_words("Which documents are about the Brack creamery?", "en")
    ['Brack', 'creamery']
    >>> subject_words("有多少文档提到消防安全？", "zh")
    ['消防安全']
    >>> subject_words("Foglald össze", "hu")
    []
    """
    phrases = _form_phrases_by_language().get(language, _form_phrases_by_language()["en"])
    if is_unspaced(question):
        for phrase in phrases:
            if len(phrase) >= SHORTEST:
                question = question.replace(phrase, " ")
        return telling_words(question, language)
    asking = {word for phrase in phrases for word in phrase.casefold().split()}
    return [word for word in telling_words(question, language) if word.casefold() not in asking]


def names_documents(question: str, language: str) -> bool:
    """Say whether a question has a word that questions for documents have: "files", "mention", "contracts", "section".

    "How many copies of the calendar are asked for?" has none: it asks for what a document tells. True of a language
    without examples.

    >>> names_documents("How many of my files mention the strike?", "en")
    True
    >>> names_documents("Hány példányt kérnek a naptárból?", "hu")
    False
    """
    known = _terms_of_documents().get(language)
    return known is None or not known.isdisjoint(query_terms(question, language))


@cache
def _terms_of_documents() -> Mapping[str, frozenset[str]]:
    """The terms of the examples of lists and counts, and of the kinds of documents, by language."""
    found: dict[str, frozenset[str]] = {}
    for language in examples()["count"]:
        parts = (examples()[table].get(language, "") for table in (*LISTING, "kinds"))
        said = _SLOT.sub(" ", " | ".join(parts))
        for start, end in sorted(asking_spans(said, language), reverse=True):
            said = f"{said[:start]} {said[end:]}"
        found[language] = frozenset(query_terms(said, language))
    return found


@cache
def examples() -> Mapping[str, Mapping[str, str]]:
    """Return the examples: form, or what fills a slot ("subjects", "names" …) → language → parts with "|" between."""
    text = files("rove.question").joinpath("form_examples.toml").read_text("utf-8")
    return cast("Mapping[str, Mapping[str, str]]", tomllib.loads(text))


@cache
def _form_phrases_by_language() -> Mapping[str, list[str]]:
    """What the examples of all forms but facts say beside their subjects, by language; the longest first."""
    found: dict[str, set[str]] = {}
    for form in OF_DOCUMENTS:
        for language, templates in examples()[form].items():
            parts = (part for one in templates.split("|") for part in _SLOT.split(one))
            found.setdefault(language, set()).update(" ".join(re.findall(r"[^\W_]+", part)) for part in parts)
    return {language: sorted(filter(None, parts), key=len, reverse=True) for language, parts in found.items()}


@cache
def _load_form_classifier() -> Classifier:
    return Classifier.from_json(files("rove.question").joinpath("form.json").read_text("utf-8"))
