"""What a sentence claims: its telling words, numbers, names, quotations and links, each of which a source must hold."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from rove.answer.word_lists import tables
from rove.language.cue_words import has_any, negates
from rove.language.quantities.digits import fold
from rove.language.quantities.reader import plain_number, read_quantities
from rove.language.words import query_terms

NO_NAMES_BY_CASE = frozenset({"de"})  # there every noun is written with a capital

_DIGITS = re.compile(r"\d{1,40}")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*['’]?")
_QUOTED = re.compile(r"“([^“”]+)”|„([^„“”]+)[“”]|\"([^\"]+)\"|«([^«»]+)»|「([^「」]+)」|『([^『』]+)』|»([^«»]+)«")
_LINK = re.compile(r"https?://[^\s<>()\[\]\"'，。、）】]+|(?<=\]\()[^)\s]+")


@dataclass(frozen=True, slots=True)
class Claim:
    """`terms`: stems of the telling words. `names`: words with a capital inside the sentence. See `read_claim`.

    `scopes`: how far it reaches (`scopes`).
    """

    terms: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    quotations: tuple[str, ...]
    links: tuple[str, ...]
    negated: bool
    scopes: frozenset[str]

    @property
    def empty(self) -> bool:
        """True when there is nothing that could be true or false."""
        return not (self.terms or self.numbers or self.links)


def read_claim(sentence: str, language: str) -> Claim:
    """Take a sentence apart.

    >>> claim = read_claim('Since 1 May the "silent hour" lasts two hours in Paris.', "en")
    >>> sorted(claim.numbers), sorted(claim.names), claim.quotations, claim.negated
    (['1', '2'], ['may', 'paris'], ('silent hour',), False)
    """
    links = tuple(_LINK.findall(sentence))
    bare = _LINK.sub(" ", sentence)
    return Claim(
        terms=frozenset(query_terms(_without_numbers(bare, language), language)),
        numbers=numbers(bare, language),
        names=_names_by_case(bare, language),
        quotations=tuple("".join(groups) for groups in _QUOTED.findall(bare)),
        links=links,
        negated=negates(bare, language),
        scopes=scopes(bare, language),
    )


def numbers(text: str, language: str) -> frozenset[str]:
    """Return the numbers in a text in one spelling: as digits with a point, magnitudes multiplied; of dates the digits.

    >>> sorted(numbers("1,000 km and 2.5 t, seven times", "en")), sorted(numbers("三百年，１２人", "zh"))
    (['1000', '2.5', '7'], ['12', '300'])
    """
    found: set[str] = set()
    for one in read_quantities(text, language):
        if one.kind in {"label", "date", "clock"}:
            found.update(_DIGITS.findall(fold(text)[slice(*one.span)]))
        else:
            found.add(plain_number(one.value))
    return frozenset(found)


def _without_numbers(text: str, language: str) -> str:
    """Leave out what `numbers` compares, so that "nine" and "9" do not count as different words."""
    spelled = (one.number for one in read_quantities(text, language) if one.kind == "number")
    for start, end in reversed(list(spelled)):
        if text[start:end].replace("-", "").replace(" ", "").isalpha():
            text = f"{text[:start]} {text[end:]}"
    return re.sub(r"(?<![^\W\d_])\d[\d.,]*(?![^\W\d_])", " ", text)


def scopes(text: str, language: str) -> frozenset[str]:
    """Say how far a text reaches: "only" and "all", where it has a word for it.

    >>> sorted(scopes("Only members may vote, always.", "en")), scopes("会员可以投票。", "zh")
    (['all', 'only'], frozenset())
    """
    return frozenset(
        name for name, words in tables("scope").items() if has_any(text, words.get(language, ""), language)
    )


def fold_spelling(text: str) -> str:
    """Return a text with one spelling of blanks, quotes, dashes and widths, for verbatim comparison."""
    text = unicodedata.normalize("NFKC", text).casefold()
    text = re.sub(r"[‐-―−]", "-", re.sub(r"[“”„«»]", '"', re.sub(r"[‘’]", "'", text)))
    return " ".join(text.replace("*", "").replace("`", "").split())


def _names_by_case(text: str, language: str) -> frozenset[str]:
    words = list(_WORD.finditer(text))
    if language in NO_NAMES_BY_CASE:
        return frozenset()
    inside = (word.group() for word in words[1:] if text[: word.start()].rstrip()[-1:] not in {":", '"', "“", "„", "«"})
    return frozenset(word.casefold() for word in inside if len(word) > 1 and word[0].isupper())
