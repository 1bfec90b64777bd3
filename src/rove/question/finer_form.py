"""Whether a question that no form answered asks how two things differ whose names are codes."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from rove.language.codes import CODE, codes_in
from rove.models import Embedder
from rove.question.form import Form
from rove.question.logistic import Classifier

LEAST = 0.75
"""Chance from which on a question that names codes is a comparison."""
NEUTRAL = ("Alpha", "Beta", "Gamma", "Delta")
"""Names that stand for the codes of a question in the examples of comparisons, and so in what is asked."""


async def finer_form_of(question: str, embedder: Embedder) -> Form:
    """Return "compare" for a question of how two codes differ, else "fact".

    A small yes/no model tells it, which is fitted on `finer_examples.toml` (`train/finer_form.py`); beside it the model
    of `rove.question.form` stays as it is.

    Raises:
        ServiceError: the embedder failed.
    """
    model = _load_comparison_classifier()
    if model.made_of != str(embedder.fingerprint) or len(codes_of(question)) < 2:
        return "fact"
    chances = model.probabilities(await embedder.queries([without_codes(question)]))[0]
    return "compare" if chances[model.classes.index("compare")] >= LEAST else "fact"


def codes_of(question: str) -> list[str]:
    """Return the codes of a question, those that hold letters and digits, in their order, each once, in small letters.

    >>> codes_of("How do the P-100 and the p-100 differ from the AX200 in 2025?"), codes_of("a P-200-tól")
    (['p-100', 'ax200'], ['p-200'])
    """
    return list(dict.fromkeys(code.casefold() for code in codes_in(question) if _is_alphanumeric_code(code)))


def without_codes(question: str) -> str:
    """Return a question with a neutral name for each code: a code has no meaning, but moves the vector.

    >>> without_codes("P-100与P-200有什么区别？")
    'Alpha与Beta有什么区别？'
    """
    places = {code: min(place, len(NEUTRAL) - 1) for place, code in enumerate(codes_of(question))}
    return CODE.sub(
        lambda found: NEUTRAL[places[found[0].casefold()]] if _is_alphanumeric_code(found[0]) else found[0], question
    )


def _is_alphanumeric_code(word: str) -> bool:
    return any(map(str.isdigit, word)) and any(map(str.isalpha, word))


@cache
def _load_comparison_classifier() -> Classifier:
    return Classifier.from_json(files("rove.question").joinpath("form_compare.json").read_text("utf-8"))
