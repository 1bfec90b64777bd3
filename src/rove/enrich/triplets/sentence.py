"""Names that a sentence says together: what it says of the first one, or no more than that both are named.

No grammar of any language: where the sentence opens with a name and is short, what is left of it without the two names
is the predicate, so that the triplet says what the sentence says, denials and conditions included. Nothing else of a
sentence is claimed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from unicodedata import east_asian_width

from rove.enrich.entities import Mention, mentions
from rove.enrich.triplets.said import Said
from rove.language.names import name_key
from rove.language.scripts import is_unspaced
from rove.records.graph import TOGETHER

MOST_WIDTH = 80
"""Columns of a predicate; an ideograph takes two. A longer one is a sentence that says more than one thing."""
SHORT = 4
"""Characters from which on what a document is about may have an ending: "Budapestben"."""
MOST_NAMES = 6
"""A sentence with more names is a list."""
ARTICLES = {
    "en": frozenset({"the", "a", "an"}),
    "de": frozenset(["der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "eines"]),
    "hu": frozenset({"a", "az", "egy"}),
    "es": frozenset(["el", "la", "los", "las", "lo", "un", "una", "unos", "unas"]),
    "fr": frozenset({"le", "la", "les", "un", "une"}),
    "it": frozenset(["il", "lo", "la", "i", "gli", "le", "un", "uno", "una"]),
}
"""May stand before a name, and are no part of what is said of it."""
_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile(r"[A-Za-z]")
_GOES_ON = re.compile(r"[ァ-ヺー㐀-鿿]")
_WORDS = re.compile(r"\w+")
_ASIDE = re.compile(r"[()\[\]{}（）【】:：;；=|→\"“”„«»「」『』《》]| [-–—] ")
_ASKS = ("?", "？")
_ENDS = " .。!！"


def plain_names(text: str, language: str, about: str, known: Collection[str]) -> list[Mention]:
    """Return the names of a text that are plainly names, in order.

    Args:
        text: a sentence.
        language: of the text.
        about: what the document is about, a name wherever it stands, with an ending or not, but not within a longer
            word; "" if that is not known.
        known: what is plainly a name elsewhere, so that it is one where a sentence opens with it, too.
    """
    found = [one for one in mentions(text, language) if _is_complete_name(one, text, known)]
    start = text.find(about) if about else -1
    while start >= 0:
        end = start + len(about)
        if not (_is_one_word(text[:start], about) or (len(about) < SHORT and _is_one_word(about, text[end:]))):
            found = [one for one in found if one.span[1] <= start or one.span[0] >= end]
            found.append(Mention(about, (start, end)))
        start = text.find(about, end)
    return sorted(found, key=lambda one: one.span)


def _is_one_word(left: str, right: str) -> bool:
    """Say whether the end of one text and the beginning of another are of one word."""
    edges = left[-1:] + right[:1]
    return len(edges) > 1 and edges.isalnum() and not any(map(is_unspaced, edges))


def said_in(sentence: str, language: str, about: str, known: Collection[str]) -> Iterator[Said]:
    """Yield what a sentence says of its first name and each other one. See `plain_names`.

    >>> list(said_in("Ada Lovelace was born in London in 1815.", "en", "", ()))
    [Said(subject='Ada Lovelace', predicate='was born in … in 1815', object='London')]
    >>> [one.predicate for one in said_in("In 1903 Marie Curie went to London.", "en", "", ())]
    ['named together with']
    """
    if sentence.rstrip().endswith(_ASKS):
        return
    each: dict[str, Mention] = {}
    for one in plain_names(sentence, language, about, known):
        each.setdefault(name_key(one.name, language), one)
    names = list(each.values())
    if not 2 <= len(names) <= MOST_NAMES:
        return
    first, articles = names[0], ARTICLES.get(language, frozenset())
    before = _WORDS.findall(sentence[: first.span[0]].casefold())
    opens = not before or (len(before) == 1 and before[0] in articles)
    for other in names[1:]:
        between = _without_article(sentence[first.span[1] : other.span[0]].strip(), articles)
        after = sentence[other.span[1] :].strip(_ENDS)
        predicate = " … ".join(part for part in (between, after) if part)
        yield Said(first.name, predicate if opens and _is_predicate(predicate) else TOGETHER, other.name)


def _is_complete_name(mention: Mention, text: str, known: Collection[str]) -> bool:
    """Say whether a mention is a name and the whole of it: no ideograph goes on with it, none is mixed with letters."""
    if not (mention.sure or mention.name in known) or _LETTER.search(mention.name) is None:
        return False
    if not is_unspaced(mention.name):
        return True
    start, end = mention.span
    around = text[max(start - 1, 0) : start] + text[end : end + 1]
    return _LATIN.search(mention.name) is None and _GOES_ON.search(around) is None


def _without_article(words: str, articles: Collection[str]) -> str:
    """Return words without the article at their end, which is the name's that follows."""
    before, _, last = words.rpartition(" ")
    return before if last.casefold() in articles else words


def _is_predicate(words: str) -> bool:
    """Say whether words can stand between two names: short, and without an aside, a quotation or a list of points."""
    width = sum(1 + (east_asian_width(letter) in "WF") for letter in words)
    return width <= MOST_WIDTH and _WORDS.search(words) is not None and _ASIDE.search(words) is None
