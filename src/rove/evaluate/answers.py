"""Metrics of answers against known ones: does a gold answer stand in it, how many of its words, rightly refused?"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import regex

from rove.language.words import terms

_UNSPACED = regex.compile(r"[\p{Han}〇\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Hangul}]")
_RUNS = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:[.,][\p{N}]+)*")
_GROUPED = regex.compile(r"(?<=\d)[,'’\s](?=\d{3}(?!\d))")


def answer_match(answer: str, gold: Iterable[str]) -> float | None:
    """Return 1 where any gold answer stands in the answer, else 0. None: no gold answer is known.

    Compared are letters and digits in their order (NFKC, case and punctuation dropped), word by word: "30" does not
    stand in "308". Where a script has no spaces between words, character by character.

    >>> answer_match("They have 308.", ["308"]), answer_match("308", ["30"]), answer_match("由光荣开发", ["光荣"])
    (1.0, 0.0, 1.0)
    """
    wanted = [plain for one in gold if (plain := " ".join(answer_tokens(one)))]
    if not wanted:
        return None
    said = f" {' '.join(answer_tokens(answer))} "
    return float(any(f" {plain} " in said for plain in wanted))


def token_f1(answer: str, gold: Iterable[str], language: str) -> float | None:
    """F1 = 2PR / (P + R) of the terms of the answer and of the gold answer that fits best (Rajpurkar et al., 2016).

    Terms are those of the index (`language.words.terms`): stems, and pairs of characters in unspaced scripts, each
    counted as often as it comes. Range 0 … 1. None: no gold answer is known.

    >>> token_f1("thirty days", ["thirty working days"], "en")
    0.8
    """
    known = [one for one in gold if one.strip()]
    said = Counter(terms(answer, language))
    return max((_f1(said, Counter(terms(one, language))) for one in known), default=None)


def answer_tokens(text: str) -> list[str]:
    """Return words, and single characters of scripts without spaces, as they are compared.

    >>> answer_tokens("The 1,000 Größen 東京!")
    ['the', '1000', 'grössen', '東', '京']
    """
    plain = _GROUPED.sub("", unicodedata.normalize("NFKC", text).casefold())
    spaced = _UNSPACED.sub(lambda letter: f" {letter.group()} ", plain)
    return _RUNS.findall(spaced)


@dataclass(frozen=True, slots=True)
class RefusalScore:
    """How well it was told which questions can be answered. All are shares, 0 … 1; None where there is none to ask.

    `accuracy`: answered what can be answered, or refused what cannot / all. `kept`: answered / those that can be
    answered. `refused`: refused / those that cannot.
    """

    accuracy: float | None
    kept: float | None
    refused: float | None


def refusal_accuracy(refused: Mapping[str, bool], answerable: Mapping[str, bool]) -> RefusalScore:
    """Compare which questions were refused with which can be answered; a question that only one names is left out.

    >>> refusal_accuracy({"q": False, "r": True, "s": True}, {"q": True, "r": False, "s": True})
    RefusalScore(accuracy=0.6666666666666666, kept=0.5, refused=1.0)
    """
    can = [not refused[question] for question, able in answerable.items() if able and question in refused]
    cannot = [refused[question] for question, able in answerable.items() if not able and question in refused]
    return RefusalScore(_correct_share([*can, *cannot]), _correct_share(can), _correct_share(cannot))


def _correct_share(values: list[bool]) -> float | None:
    return sum(values) / len(values) if values else None


def _f1(said: Counter[str], gold: Counter[str]) -> float:
    both = (said & gold).total()
    return 2 * both / (said.total() + gold.total()) if both else 0.0
