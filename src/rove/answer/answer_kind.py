"""Which kind of answer a question asks for, a value or words, by a linear model over its vector."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from rove.language.quantities.reader import read_quantities
from rove.models import Embedder
from rove.question.logistic import Classifier

SPELLED, BARE = 0.25, 0.5
"""Share of characters that quantities with units take of what holds one in words, and of hardly anything else."""
UNKNOWN = 0.5
_CODE = re.compile(r"(?<![A-Za-z\d])[A-Za-z]{1,6}-?\d+(?!\d)")
"""What has digits and is no number: "G7", "KZ-77"."""


def has_value(said: str, language: str) -> bool:
    """Say whether words hold a number, a date or a time, in digits or spelled out, and are no code.

    >>> [has_value(said, "en") for said in ("about 40 kg", "twelve days", "the annex", "budget KZ-77")]
    [True, True, False, False]
    """
    bare = _CODE.sub("", said)
    return any(map(str.isdigit, bare)) or _quantity_char_share(bare, language) >= SPELLED


def is_value(said: str, language: str) -> bool:
    """Say whether words are a number, a date or a time, and little else.

    >>> [is_value(said, "en") for said in ("12 days", "the Health Act 2003", "KZ-77")]
    [True, False, False]
    """
    return _quantity_char_share(_CODE.sub("", said), language) >= BARE


def _quantity_char_share(said: str, language: str) -> float:
    spans = (found.span for found in read_quantities(said, language))
    return sum(end - start for start, end in spans) / max(len(said), 1)


async def asks_for_value(question: str, embedder: Embedder) -> float:
    """Return the chance that a question is answered by a value: 0 … 1, `UNKNOWN` for another embedder's vectors.

    Fitted for the packaged embedder by `train/answer_kind.py`.

    Raises:
        ServiceError: the embedder failed.
    """
    model = _answer_kind_classifier()
    if model.made_of != str(embedder.fingerprint) or not question.strip():
        return UNKNOWN
    return float(model.probabilities(await embedder.queries([question]))[0, model.classes.index("value")])


@cache
def _answer_kind_classifier() -> Classifier:
    return Classifier.from_json(files("rove.answer").joinpath("answer_kind.json").read_text("utf-8"))
