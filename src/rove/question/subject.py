"""The subject of a question that asks for nothing else: "the warranty" in "Tell me about the warranty"."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from rove.language.scripts import is_unspaced
from rove.models import Embedder, Vectors
from rove.models.passage_reading import ReadingEmbedder, TokenPlaces, query_tokens
from rove.question.logistic import Classifier
from rove.records.document import Span

LEAST = 0.5
"""Chance from which on a token is of the subject, and a question asks for nothing but its subject."""
SURE = 0.8
"""Chance from which on that is sure; bare topics, which may be anything, have less."""
NEUTRAL = ("Alpha", "Beta", "Gamma", "Delta")
"""What stands for a question's subjects where it is looked at what is asked of them."""
_ENDS = " \t\n?？!！.。,，;；:：、"


async def asked_subject(question: str, embedder: Embedder, least: float = LEAST) -> str | None:
    """Return what a question asks about, if it asks for all that is said about it; None where it asks for more.

    `least`: the chance that it has to have of asking for nothing else.

    One linear model over the question's tokens tells which of them name what it is about, in any language that the
    embedder reads; a second one, over the vector of the question with "Alpha" in their place, whether that is all
    ("Tell me about Alpha", and not "When does Alpha end?"). Both are fitted on `subject_examples.toml` for the packaged
    embedder (`train/subject.py`); of another one's vectors they know nothing.

    Raises:
        ServiceError: the embedder failed.
    """
    naming, asking = _models()
    if naming.made_of != str(embedder.fingerprint) or not isinstance(embedder, ReadingEmbedder):
        return None
    tokens = await query_tokens(embedder, question)
    if tokens is None:
        return None
    spans = subject_spans(question, tokens, await embedder.token_spans(question), naming)
    if not spans:
        return None
    chances = asking.probabilities(await embedder.queries([neutralised(question, spans)]))[0]
    if chances[asking.classes.index("subject")] < least:
        return None
    return " ".join(question[slice(*span)] for span in spans)


def subject_spans(question: str, tokens: Vectors, places: TokenPlaces, naming: Classifier) -> list[Span]:
    """Return where the words stand that name what a question is about, those beside each other as one.

    Args:
        question: as it was embedded.
        tokens: (n, dimension) float32, unit length: its tokens.
        places: (n, 2): where each stands in it.
        naming: says of a token whether it is of the subject.
    """
    chances = naming.probabilities(tokens)[:, naming.classes.index("subject")] if len(tokens) else ()
    spans: list[Span] = []
    for chance, (start, end) in zip(chances, places.tolist(), strict=False):
        is_word = any(map(str.isalnum, question[start:end]))
        if start >= end or (chance < LEAST if is_word else not spans or spans[-1][1] != start):
            continue
        start, end = _extend_to_whole_words(question, (start, end))
        if spans and not question[spans[-1][1] : start].strip():
            spans[-1] = (spans[-1][0], max(spans[-1][1], end))
        else:
            spans.append((start, end))
    return [(start, start + len(question[start:end].rstrip(_ENDS))) for start, end in spans]


def _extend_to_whole_words(question: str, span: Span) -> Span:
    """Take in the rest of words of a script with spaces, as their endings ("garanciáról")."""
    start, end = span
    while start and _within_word(question[start - 1 : start + 1]):
        start -= 1
    while end < len(question) and _within_word(question[end - 1 : end + 1]):
        end += 1
    return start, end


def _within_word(two: str) -> bool:
    return two.isalnum() and not is_unspaced(two)


def neutralised(question: str, spans: Sequence[Span]) -> str:
    """Return a question with neutral names for its subjects.

    >>> neutralised("What do the minutes say about parking?", [(30, 37)])
    'What do the minutes say about Alpha?'
    """
    parts, at = list[str](), 0
    for number, (start, end) in enumerate(spans):
        parts += [question[at:start], NEUTRAL[min(number, len(NEUTRAL) - 1)]]
        at = end
    return "".join([*parts, question[at:]])


@cache
def _models() -> tuple[Classifier, Classifier]:
    """Return what says of a token whether it is of the subject, and of a question whether it asks for nothing else."""
    naming, asking = (files("rove.question").joinpath(f"subject_{name}.json") for name in ("tokens", "form"))
    return Classifier.from_json(naming.read_text("utf-8")), Classifier.from_json(asking.read_text("utf-8"))
