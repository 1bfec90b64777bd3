"""The chain of a walk: the facts that led to a lead, and what they bring up that the question does not hold. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rove.answer.extract import Candidate
from rove.enrich.entities import mentions
from rove.language.find_words import has_word
from rove.language.folding import fold_words
from rove.language.pipe_rows import table_rows
from rove.language.quantities.reader import read_quantities
from rove.language.relative_days import is_day_or_month
from rove.language.stopwords import stop_words
from rove.language.words import query_terms, terms
from rove.records import Note
from rove.records.walk_events import Fact, Lead
from rove.walk.judge import terms_with_words
from rove.walk.leads import fact_id
from rove.walk.state import State

ANSWERS = 0.5
"""How surely a fact answers, given its chain, for the walk to have arrived."""
SHORT = 3
"""Characters of what stands for itself."""
LONGEST = 8
"""Facts of a chain at most."""
STEM, LEAST_STEM = 0.75, 5
POINTED = 0.6
"""Share of the question's words that what points to an absent place must have, to be said instead of an answer."""
NOWHERE = Note("lead-not-in-base")
BESIDE = 2
"""Facts that were found beside one, at most."""
LONGEST_CHARS = 48
"""Of a value: what is longer is a sentence."""
MOST_VALUES = 6
_CODE = re.compile(
    r"(?<![A-Za-z\d])(?<!\d[.,])(?:[A-Za-z]{1,6}-?)?\d[\dA-Za-z]*(?:[-/:]\d[\dA-Za-z]*)*(?![\dA-Za-z]|[.,]\d)"
)
_NUMBERED = re.compile(
    r"(?<![^\W\d_])(?P<head>[^\W\d_]{3,40})\s(?P<number>\d{1,3}(?:\.\d{1,2})*|[B-HJ-Z])(?!\w|[.,]\d)"
)
_FILE = re.compile(r"\.[A-Za-z0-9]{2,5}\Z")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d\Z")
_AMOUNT = re.compile(r"-?[\d.,\s%€$£¥]*\Z")
_CLAUSE = re.compile(r"[;；。\n]|\.\s|\A\s*[-*•]\s")
PART = re.compile(r"[,;，；、。]\s*|\.\s")
_ORDINAL = re.compile(r"第[\d一二三四五六七八九十百]+[号號]")
_DIGITS_AFTER, _DIGITS_BEFORE = re.compile(r"[ /-]\d"), re.compile(r"\d[ /-]\Z")
_WORD_BEFORE = re.compile(r"([^\W\d_]{2,40})\s\Z")
MANY_CODES = 2
_EDGES = " \t\"'“”„「」『』《》().,，、：:*_"


@dataclass(frozen=True, slots=True)
class BridgeValue:
    """What a fact brings up by which it goes on elsewhere: a name, a code, a table's cell. `head`: its column's name.

    `sure`: it is more than a name, which many passages may have without belonging together.
    """

    text: str
    head: str = ""
    sure: bool = True

    @property
    def wanted(self) -> str:
        """What is searched for: a number or a short cell says nothing without the word that stands with it."""
        return f"{self.head} {self.text}".strip() if len(self.text) < SHORT or self.text.isdigit() else self.text

    @property
    def is_amount(self) -> bool:
        """Whether it is a bare number, with or without words behind it: nothing that anything is called by."""
        code = _CODE.fullmatch(self.text)
        return self.text[:1].isdigit() and not self.head and (code is None or self.text.isdigit())

    def names(self, headings: Sequence[str]) -> bool:
        """Say whether the last of some headings has it."""
        own = compared_form(self.text)
        return any(has_word(compared_form(title), own) for title in headings[-1:]) and (
            len(own) >= SHORT or own in map(compared_form, headings)
        )

    def stands_in(self, candidate: Candidate) -> bool:
        """Say whether a row has it, as a cell or column or in one, or a sentence says it; a short one with its head.

        The column of a short number must have words of its head.
        """
        own, head = compared_form(self.text), compared_form(self.head)
        cells = cells_of(candidate) if candidate.is_row else []
        bare = own.isdigit() and len(own) < SHORT and bool(head)
        names = [name for name, cell in cells if compared_form(cell) == own]
        if any(not bare or not grams(head).isdisjoint(grams(name)) for name in names):
            return True
        said = compared_form(candidate.text)
        if len(own) >= SHORT or (len(own) > 1 and not own.isalpha() and not own.isdigit()):
            return has_word(said, own)
        return bool(head) and (has_word(said, f"{head}{own}") or has_word(said, f"{head} {own}"))


def sentence_in_place(candidate: Candidate) -> str:
    """Return what a sentence says where it stands: in its list, and under its title or last heading.

    Of a title or heading that it names itself, nothing is added.
    """
    hit = candidate.hit
    said = f"{candidate.under} {candidate.text}".lstrip()
    context = " > ".join(dict.fromkeys(part for part in (hit.title, *hit.chunk.headings[-1:]) if part))
    if not context or fold_words(context.rpartition(" > ")[2]) in fold_words(candidate.text):
        return said
    return f"{context}: {said}"


def fact_of(candidate: Candidate, relevance: float, number: int) -> Fact:
    """Make a fact of a sentence or row, found in round `number`."""
    citation = candidate.citation
    identity = fact_id(candidate.text, citation.document_id, citation.span)
    return Fact(identity, sentence_in_place(candidate), relevance, number, "text", citation)


def answering_chain(state: State) -> tuple[Fact, ...]:
    """Return the facts of the chain that answers, the last one last; none where none does, or no lead led to it."""
    best = max(state.facts, key=lambda fact: fact.answers, default=None)
    if best is None or best.answers < ANSWERS or not best.lead_id:
        return ()
    return (*(fact for fact in chain_to(state.lead(best.lead_id), state) if fact != best), best)


def chain_to_absent(state: State) -> tuple[tuple[Fact, ...], str]:
    """Return the facts that lead to a place which is not in the base, and what the last one calls it, if any do.

    The last one's own words must point there. They must have `POINTED` of the question's words, and more than any fact
    that points nowhere; all, where another fact answers, which then must lack some.
    """
    asked = frozenset(terms_with_words(state.question, state.language))
    best = max(state.facts, key=lambda fact: fact.answers, default=None)
    settled = best if best is not None and best.answers >= ANSWERS else None
    least = 1.0 if settled else POINTED
    found: list[tuple[float, tuple[Fact, ...], str]] = []
    pointing = {fact.fact_id: lead for fact in state.facts if (lead := _absent_place(fact, state))}
    besides = [(fact,) for fact in state.facts if fact.fact_id not in pointing and fact != settled]
    rival = max((_term_coverage(asked, one, state) for one in besides), default=0.0)
    for fact in state.facts:
        lead = pointing.get(fact.fact_id)
        if lead is None or fact == settled:
            continue
        chain = (*(one for one in chain_to(state.lead(fact.lead_id), state) if one != fact), fact)
        share = _term_coverage(asked, chain, state)
        if share >= least and share > rival and (settled is None or _term_coverage(asked, (settled,), state) < share):
            found.append((share, chain, lead.text))
    _, chain, text = max(found, key=lambda one: (one[0], len(one[1])), default=(0.0, (), ""))
    return chain, text


def _absent_place(fact: Fact, state: State) -> Lead | None:
    """Return the lead to a place that is not in the base, if the fact's own words point to one: no page of the web."""
    nowhere = {NOWHERE.code, NOWHERE.text("en")}  # a walk of an earlier version says it in English alone
    absent = (one for one in state.leads if one.fact_id == fact.fact_id and state.dropped.get(one.lead_id) in nowhere)
    own = (one for one in absent if fold_words(one.text) in fold_words(fact.text))
    return next((one for one in own if one.kind != "link" or _FILE.search(one.text)), None)


def _term_coverage(asked: frozenset[str], facts: Sequence[Fact], state: State) -> float:
    held = held_terms(asked, " ".join(fact.text for fact in facts), state.language)
    return len(held) / max(len(asked), 1)


def held_terms(asked: frozenset[str], text: str, language: str) -> frozenset[str]:
    """Return which of these terms a text has; of long ones another ending will do, as in "Ausztria", "ausztriai"."""
    held = frozenset(terms(text, language))
    beginnings = {
        term: term[: max(round(STEM * len(term)), LEAST_STEM)] for term in asked - held if len(term) > LEAST_STEM
    }
    more = {term for term, begins in beginnings.items() if any(word.startswith(begins) for word in held)}
    return (asked & held) | more


def chain_to(lead: Lead | None, state: State) -> tuple[Fact, ...]:
    """Return the facts that led to a lead, the question's first: the one that names it, and those found beside that."""
    facts: list[Fact] = []
    by_id = {fact.fact_id: fact for fact in state.facts}
    while lead is not None and len(facts) < LONGEST and (source := by_id.get(lead.fact_id)) and source not in facts:
        facts = [*(one for one in _facts_beside(source, state) if one not in facts), source, *facts]
        lead = state.lead(source.lead_id) if source.lead_id else None
    return tuple(facts)


def _facts_beside(fact: Fact, state: State) -> list[Fact]:
    """Return what the same reading of the same passage gave, the fact itself left out."""
    if fact.citation is None:
        return []
    place = (fact.lead_id, fact.round, fact.citation.chunk_id)
    same = [f for f in state.facts if f.citation and (f.lead_id, f.round, f.citation.chunk_id) == place]
    others = [one for one in same if one.fact_id != fact.fact_id]
    return sorted(others, key=lambda one: -one.relevance)[:BESIDE]


def values_of_text(one: Candidate, question: str, before: str = "") -> list[BridgeValue]:
    """Return what a sentence or row brings up: of a row its cells, of a sentence its codes and names.

    Nothing of what the question says, or what stands in `before`.
    """
    cells = cells_of(one) if one.is_row else []
    found = [BridgeValue(cell, name) for name, cell in cells if not PART.search(cell)]
    said = _near_words(one.citation.quote, question)
    language = one.hit.chunk.language
    found = (
        found
        if cells
        else [*_colon_values(said, question), *_code_values(said, language), *_name_values(said, language)]
    )
    new: dict[str, BridgeValue] = {}
    for value in found:
        if _is_new(value, question, f"{question} {before}"):
            new.setdefault(compared_form(value.text), value)
    return list(new.values())[:MOST_VALUES]


def cells_of(candidate: Candidate) -> list[tuple[str, str]]:
    """Return the cells of a row, each with the name of its column."""
    row = next(iter(table_rows(candidate.citation.quote, "| " + " | ".join(candidate.names) + " |")), None)
    return [(name, cell) for name, cell in zip(candidate.names, row.cells, strict=False) if cell] if row else []


def clauses(text: str) -> list[str]:
    """Cut a text at full stops, semicolons and line breaks."""
    return [clause for clause in _CLAUSE.split(text) if clause and clause.strip()]


def _colon_values(said: str, question: str) -> Iterator[BridgeValue]:
    """Yield what a colon sets apart from words of the question: "甲类:大阪", "Moosbach: Line Yellow"."""
    asked = grams(question)
    for clause in _CLAUSE.split(unicodedata.normalize("NFKC", said)):
        left, colon, right = (clause or "").partition(":")
        if not colon:
            continue
        here = [bool(asked.intersection(grams(side))) for side in (left, right)]
        if here == [False, True]:
            yield BridgeValue(left.strip(_EDGES))
        elif here == [True, False]:
            yield BridgeValue(right.strip(_EDGES))


def _near_words(said: str, question: str) -> str:
    """Of a sentence with many codes, keep the parts that have words of the question and a code."""
    if len(list(_code_values(said, "und"))) < MANY_CODES:
        return said
    asked = grams(question)
    parts = [part for part in PART.split(said) if asked.intersection(grams(part)) and any(_code_values(part, "und"))]
    return ", ".join(parts) or said


def grams(text: str) -> set[str]:
    """Return the terms of a text in any language, those of one character left out."""
    return {term for term in terms(text, "und") if len(term) > 1}


def _code_values(said: str, language: str) -> Iterator[BridgeValue]:
    """Yield the numbers and codes of a sentence by which things are called: no amounts, "80 Euro", and no days."""
    amounts = [one.span for one in read_quantities(said, language) if one.unit is not None or one.day]

    def is_amount(start: int, end: int) -> bool:
        return any(first <= start and end <= last for first, last in amounts)

    yield from (BridgeValue(found[0]) for found in _ORDINAL.finditer(said))
    for found in _NUMBERED.finditer(said):
        if not is_amount(*found.span("number")) and found["head"].casefold() not in stop_words(language):
            yield BridgeValue(found["number"], found["head"])
    for found in _CODE.finditer(said):
        code = found[0]
        if code.isdigit() and _is_grouped(said, *found.span()):
            continue
        if not (code.isdigit() and (len(code) < 3 or _YEAR.match(code))) and not is_amount(*found.span()):  # noqa: PLR2004
            before = _WORD_BEFORE.search(said[max(found.start() - LONGEST_CHARS, 0) : found.start()])
            yield BridgeValue(code, before[1] if before and code.isdigit() else "")


def _is_grouped(said: str, start: int, end: int) -> bool:
    """Say whether digits are a group of a longer number: "0113 555 0199"."""
    return bool(_DIGITS_AFTER.match(said, end)) or bool(_DIGITS_BEFORE.search(said[max(start - 2, 0) : start]))


def _name_values(said: str, language: str) -> Iterator[BridgeValue]:
    for mention in mentions(said, language):
        if mention.sure and not is_day_or_month(mention.name, language):
            yield BridgeValue(mention.name, sure=False)


def _is_new(value: BridgeValue, question: str, before: str) -> bool:
    text = value.text.strip(_EDGES)
    if not text or len(text) > LONGEST_CHARS or (_AMOUNT.match(text) and not (text.isdigit() or value.head)):
        return False
    own = set(query_terms(text, "und")) or {text.casefold()}
    if own.intersection(query_terms(question, "und")) and not any(map(str.isdigit, text)):
        return False
    return not has_word(compared_form(before), compared_form(value.wanted))


def compared_form(text: str) -> str:
    """Return a text as values are compared: letters of one case and width, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
