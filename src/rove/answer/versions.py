"""Versions of one document among what was found: the one that held at the time that a question asks about."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from pathlib import PurePath

import regex
from rapidfuzz import fuzz

from rove.language.quantities.dates import read_dates, whole_days
from rove.language.words import query_terms, terms
from rove.records import Hit
from rove.records.document import Span

HEAD_CHARS = 500
"""Characters at the start of a document in which the day that it holds from is looked for."""
ALIKE = 60.0
"""Likeness (rapidfuzz ratio, 0 to 100) from which on passages of two versions say the same thing."""
_PART = regex.compile(r"\p{L}+|\d+")
_YEAR = regex.compile(r"(?<![\d.,/-])(?:19|20)\d\d(?![\d/]|[.,-]\d)")
_DATE_DIGITS = frozenset({4, 6, 8})


@dataclass(frozen=True, slots=True)
class Version:
    """A document of which others are versions too. `since`: the day it holds from, as YYYY-MM-DD; "" where unknown."""

    document_id: str
    source: str
    since: str
    age: tuple[int, str, tuple[int, ...]]

    @property
    def name(self) -> str:
        """Its file's name."""
        return PurePath(self.source).name or self.source


@dataclass(frozen=True, slots=True)
class InForce:
    """Hits without those of other versions than the ones that held.

    `question`: without the days that chose the versions, since no passage of them says them. `held`, `others`: the
    versions that held, and the rest of those whose passages say otherwise.
    """

    hits: Sequence[Hit]
    question: str
    held: tuple[Version, ...] = ()
    others: tuple[Version, ...] = ()


def same_but_version(source: str) -> str:
    """Return the name of a file, with its folders, without what says which version it is.

    >>> same_but_version("hr/Travel policy v2.md") == same_but_version("hr/travel_policy_2023-04.md")
    True
    >>> same_but_version("规程（旧）.md") == same_but_version("规程（新）.md")
    True
    >>> same_but_version("Lease Hall 9.docx") == same_but_version("Lease Hall 11.docx")
    False
    """
    kept: list[str] = []
    dated = False
    for part in _source_name_parts(source):
        numbered = dated and part.isdigit()
        dated = part in _version_words()["number"] or numbered or _is_date(part)
        if not dated and part not in _version_words()["earlier"] and part not in _version_words()["later"]:
            kept.append(part)
    return " ".join(kept)


def version_of(document_id: str, source: str, text: str, language: str) -> Version:
    """Read which version of its document a file is, and from when it holds: by its first lines, then by its name."""
    days = whole_days(text[:HEAD_CHARS], language)
    parts = _source_name_parts(PurePath(source).name)
    years = [part for part in parts if _is_date(part)]
    since = days[0].value if days else _first_day_of_date(years[0]) if years else ""
    words = _version_words()
    rank = 1 if any(part in words["later"] for part in parts) else 0
    rank = -1 if any(part in words["earlier"] for part in parts) else rank
    numbers = tuple(int(part) for part in parts if part.isdigit())
    return Version(document_id, source, since, (rank if not since else 0, since, (rank, *numbers)))


def in_force(question: str, language: str, hits: Sequence[Hit], texts: Mapping[str, str], today: str) -> InForce:
    """Leave out of hits what other versions say of the same than the one that held on the day asked about, or today.

    Versions are files whose names differ in nothing but version, year or date (`same_but_version`).
    """
    days, places = asked_days(question, language)
    if len(days) > 1:
        return InForce(hits, question)
    asked = next(iter(days), today)
    chosen, others = list[Version](), list[Version]()
    moved: set[str] = set()
    for group in _version_groups(hits, texts):
        ordered = sorted(group, key=lambda one: one.age)
        named = _version_named_in(question, ordered)
        begun = [one for one in ordered if one.since <= asked]
        held = named or (begun or ordered[:1])[-1]
        rest = [one for one in ordered if one is not held]
        away = _find_displaced_passages(question, language, hits, held, {one.document_id for one in rest})
        if away:
            moved |= away
            chosen.append(held)
            documents = {hit.chunk.document_id for hit in hits if hit.chunk.chunk_id in away}
            others += [one for one in rest if one.document_id in documents]
    if not chosen:
        return InForce(hits, question)
    kept = [hit for hit in hits if hit.chunk.chunk_id not in moved]
    return InForce(kept, _text_without_spans(question, places), tuple(chosen), tuple(others))


async def choose_in_force(
    question: str, language: str, hits: Sequence[Hit], texts_of: Callable[[Sequence[str]], Mapping[str, str]]
) -> InForce:
    """Return hits as `in_force` does today. `texts_of`, called in a thread: the texts of documents by their ids."""
    if not (names := may_have_versions(hits)):
        return InForce(hits, question)
    texts = await asyncio.to_thread(texts_of, names)
    today = date.today().isoformat()  # noqa: DTZ011 - the user's day
    return await asyncio.to_thread(in_force, question, language, hits, texts, today)


def asked_days(question: str, language: str) -> tuple[set[str], list[Span]]:
    """Return the last days of the times that a question names, and where they stand in it.

    >>> asked_days("What was the limit in 2023?", "en")
    ({'2023-12-31'}, [(22, 26)])
    """
    dates = [(one.span, one.day) for one in read_dates(question, language) if one.day and one.day.year]
    found: dict[Span, str] = {}
    for span, day in sorted(dates, key=lambda one: one[0][0] - one[0][1]):
        if not any(start < span[1] and span[0] < end for start, end in found):
            found[span] = f"{day.year:04}-{day.month or 12:02}-{day.day or 31:02}"
    for match in _YEAR.finditer(question):
        if not any(start <= match.start() < end for start, end in found):
            found[match.span()] = f"{match[0]}-12-31"
    return set(found.values()), sorted(found)


def _version_groups(hits: Sequence[Hit], texts: Mapping[str, str]) -> list[list[Version]]:
    """Return the versions among the documents of the hits, of each document that has more than one."""
    named: dict[str, dict[str, Hit]] = {}
    for hit in hits:
        named.setdefault(same_but_version(hit.uri), {}).setdefault(hit.chunk.document_id, hit)
    groups = [
        [version_of(name, hit.uri, texts.get(name, hit.chunk.text), hit.chunk.language) for name, hit in those.items()]
        for those in named.values()
        if len(those) > 1
    ]
    return [group for group in groups if len({one.age for one in group}) == len(group)]


def may_have_versions(hits: Sequence[Hit]) -> list[str]:
    """Return the ids of the documents of hits that are perhaps versions of one."""
    named: dict[str, set[str]] = {}
    for hit in hits:
        named.setdefault(same_but_version(hit.uri), set()).add(hit.chunk.document_id)
    return [name for those in named.values() if len(those) > 1 for name in those]


def _find_displaced_passages(
    question: str, language: str, hits: Sequence[Hit], held: Version, rest: set[str]
) -> set[str]:
    """Return the passages of other versions in whose place the one that held has another, that says as much."""
    own = [hit for hit in hits if hit.chunk.document_id == held.document_id]
    wanted = set(query_terms(question, language))
    moved: set[str] = set()
    for hit in hits:
        if hit.chunk.document_id not in rest:
            continue
        has = wanted.intersection(terms(hit.chunk.text, language))
        for one in own:
            alike = fuzz.ratio(one.chunk.text, hit.chunk.text) >= ALIKE
            if alike and has <= {*terms(one.chunk.text, language)}:
                moved.add(hit.chunk.chunk_id)
                break
    return moved


def _version_named_in(question: str, group: Sequence[Version]) -> Version | None:
    """Return the version that a question names by what its file's name alone has: "v1", "the old policy"."""
    asked = _marks(question)
    own = [_marks(one.name) for one in group]
    for place, one in enumerate(group):
        others = set[str]().union(*own[:place], *own[place + 1 :])
        if (own[place] - others) & asked:
            return one
    return None


def _marks(text: str) -> set[str]:
    """Return what tells versions apart in a name: its words, and its numbers where they are a version's."""
    parts, words = _source_name_parts(text), _version_words()
    marks = {part for part in parts if not part.isdigit() and part not in words["number"]}
    marks |= {kind for kind in ("earlier", "later") if not words[kind].isdisjoint(parts)}
    pairs = zip(parts, parts[1:], strict=False)
    return marks | {f"number {number}" for before, number in pairs if before in words["number"] and number.isdigit()}


def _text_without_spans(question: str, places: Sequence[Span]) -> str:
    for start, end in sorted(places, reverse=True):
        question = f"{question[:start]}{question[end:]}"
    return " ".join(question.split())


def _source_name_parts(text: str) -> list[str]:
    return [part.casefold() for part in _PART.findall(text)]


def _is_date(part: str) -> bool:
    return part.isdigit() and len(part) in _DATE_DIGITS and part[:2] in {"19", "20"}


def _first_day_of_date(part: str) -> str:
    """Return the first day of a date of four, six or eight digits."""
    return f"{part[:4]}-{part[4:6] or '01'}-{part[6:8] or '01'}"


@cache
def _version_words() -> Mapping[str, frozenset[str]]:
    text = files("rove.answer").joinpath("version_words.toml").read_text("utf-8")
    return {name: frozenset(words.split()) for name, words in tomllib.loads(text).items()}
