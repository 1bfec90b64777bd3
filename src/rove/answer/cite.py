"""Citations, checked by code: the exact words of a reference that a sentence rests on, or none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rove.answer.claim import Claim, fold_spelling, read_claim
from rove.answer.passages import page_of
from rove.answer.table_check import misplaces, support_table
from rove.answer.values import Value, holds_value, read_values, units_in
from rove.language.cue_words import UNSPACED
from rove.language.pipe_rows import table_rows
from rove.language.sentences import sentence_spans
from rove.language.words import terms
from rove.records import Citation, Hit, Verdict
from rove.records.answer import DIFFERS, UNSOURCED
from rove.records.document import Span
from rove.records.moment import time_of

LEAST_SHARE = 0.6  # of the sentence's telling words that must stand in the window
LEAST_SHARE_UNSPACED = 0.5  # there terms are pairs of characters, of which some straddle words
WIDEST_WINDOW = 3
MOST_VALUES = 100  # of a sentence: one with more is no sentence, and comparing them would take long
WINDOW_COST = 0.1  # share that each further sentence must bring
MIRRORED_SHARE = 0.7  # a sentence that says this much of a source's sentence must agree with it on "not"
DENIED_SHARE = 0.3  # of a negated sentence's telling words that a negated sentence of the source must hold
NAME_CHARS = 40
_NAMED = re.compile(r"(?<![^\W\d_])[^\W\d_]++[ -]?\d++\Z")


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence of the reference. `mirrored`: the claim says nearly all of it."""

    span: Span
    terms: frozenset[str]
    values: tuple[Value, ...]
    negated: bool
    mirrored: bool
    scopes: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a sentence claims, with its values; `units` stand in its reference. See `holds_value`."""

    claim: Claim
    values: tuple[Value, ...]
    units: frozenset[tuple[str, float]]


def check_citation(citation: Citation, text: str) -> bool:
    """Say whether the quote stands in the document's canonical text exactly where the citation says.

    >>> here = Citation(1, "c", "d", "u", "t", quote="blue", span=(8, 12))
    >>> check_citation(here, "The sea blue"), check_citation(here, "The sea is blue")
    (True, False)
    """
    start, end = citation.span
    return 0 <= start < end <= len(text) and bool(citation.quote.strip()) and text[start:end] == citation.quote


def support(sentence: str, reference: str, language: str, *, context: str = "") -> Span | None:
    """Find the words of a reference that hold a sentence: the span of 1 … `WIDEST_WINDOW` of its sentences, or None.

    All of these must be so:
    - a row is read with its table's head, and has no value that the sentence says of another row (`misplaces`);
    - the share of the sentence's telling words (stems; pairs of characters in unspaced scripts) found in the span is
      at least `LEAST_SHARE` (`LEAST_SHARE_UNSPACED`);
    - each value (`read_values`) stands in the span: a number with its unit, a clock time, a date, however written; or
      it is of a name in `context`, as in "contract HD-114";
    - where the sentence says "only" or "all", so does the span, in whatever words (`scopes`);
    - each quotation, link and name (a capital inside the sentence; not in German) stands in the reference, or in
      `context` (its title and headings), quotations and links to the letter;
    - one of the span's sentences that is negated holds `DENIED_SHARE` of a negated sentence's telling words; another
      sentence mirrors none that is negated (`MIRRORED_SHARE` of that one's telling words).

    Of several spans the one with the largest share - `WINDOW_COST` for each sentence after its first, then the first.

    >>> text = "The shop opens at 9. It closes at 17."
    >>> support("It opens at nine.", text, "en"), support("It opens at ten.", text, "en")
    ((0, 20), None)
    """
    claim = read_claim(sentence, language)
    if claim.empty or not _holds_to_the_letter(claim, reference, context):
        return None
    least = LEAST_SHARE_UNSPACED if language in UNSPACED else LEAST_SHARE
    above = f" {fold_spelling(context)} "
    values = [value for value in read_values(sentence, language) if not _is_of_name(value, sentence, above)]
    measures = frozenset(units_in(f"{context} {reference}"))
    if len(values) > MOST_VALUES:
        return None
    rows = {row.span[0]: row.said for row in table_rows(reference)}
    units = [_read_source_unit(reference, span, claim, language, rows) for span in sentence_spans(reference, language)]
    prose = [value for unit in units if unit.span[0] not in rows for value in unit.values]
    inside = [value for value in values if not holds_value(value, prose, measures)]
    if rows and misplaces(sentence, inside, list(table_rows(reference)), language, measures):
        return None
    known = set(terms(context, language))
    asked = _Asked(claim, tuple(values), measures)
    best: Span | None = None
    best_value = 0.0
    for width in range(1, WIDEST_WINDOW + 1):
        for first in range(len(units) - width + 1):
            window = units[first : first + width]
            share = _claim_term_share(asked, window, known)
            value = share - WINDOW_COST * (width - 1)
            if share >= least and value > best_value:
                best, best_value = (window[0].span[0], window[-1].span[1]), value
    return best


def support_block(block: str, reference: str, head: str = "", language: str = "") -> Span | None:
    r"""Find a table or code block in a reference: the span from its first to its last line, each there to the letter.

    Lines of `head`, which was shown above the reference, and the line under a table's header need not be in it. A table
    that is written anew is held cell by cell (`support_table`).

    >>> support_block("| a | b |", "Sizes:\n| a | b |\nEnd.")
    (7, 16)
    >>> support_block("|x|y|\n|-|-|\n|3|4|", "|1|2|\n|3|4|", "|x|y|")
    (6, 11)
    """
    lines = [line for row in block.splitlines() if (line := row.strip()) and not line.startswith(("```", "~~~"))]
    shown = {line.strip() for line in head.splitlines()}
    wanted = [line for line in lines if line not in shown and (not head or line.strip("|-: "))]
    places = [reference.find(line) for line in wanted]
    if not places or min(places) < 0:
        return support_table(block, reference, head, language)
    return min(places), max(place + len(line) for place, line in zip(places, wanted, strict=True))


def cite(hit: Hit, number: int, span: Span) -> Citation:
    """Make the citation of a span of a hit's chunk; its own span counts from the start of the document."""
    chunk = hit.chunk
    return Citation(
        number=number,
        chunk_id=chunk.chunk_id,
        document_id=chunk.document_id,
        uri=hit.uri,
        title=hit.title,
        quote=chunk.text[span[0] : span[1]],
        span=(chunk.span[0] + span[0], chunk.span[0] + span[1]),
        page=page_of(chunk, chunk.span[0] + span[0]),
        as_of=hit.as_of,
        time=time_of(chunk, (chunk.span[0] + span[0], chunk.span[0] + span[1])),
    )


def marks(cited: Sequence[int], verdict: Verdict = "supported") -> str:
    """Write what stands behind a sentence in an answer: the numbers of its citations, or that no source says it.

    >>> marks([2, 1]), marks([2], "differs"), marks([], "unsourced"), marks([])
    ('[2][1]', '[2≠?]', '[?]', '')
    """
    sign = DIFFERS if verdict == "differs" else ""
    return UNSOURCED if verdict == "unsourced" else "".join(f"[{number}{sign}]" for number in cited)


def _holds_to_the_letter(claim: Claim, reference: str, context: str) -> bool:
    known = fold_spelling(reference)
    wide = f"{known} {fold_spelling(context)}"
    letters = [
        *(fold_spelling(text).strip(" .,;:!?。、，") for text in claim.quotations),
        *map(fold_spelling, claim.links),
    ]
    return all(text in known for text in letters) and all(fold_spelling(name)[:-2] in wide for name in claim.names)


def _is_of_name(value: Value, sentence: str, above: str) -> bool:
    """Say whether a value is part of a name that stands above the text: the word before it, and it."""
    end = value.span[1]
    word = _NAMED.search(sentence[max(end - NAME_CHARS, 0) : end])
    return bool(word) and f" {fold_spelling(word[0])} " in above


def _read_source_unit(reference: str, span: Span, claim: Claim, language: str, rows: Mapping[int, str]) -> _Unit:
    text = rows.get(span[0], reference[span[0] : span[1]])
    told = read_claim(text, language)
    mirrored = len(claim.terms & told.terms) >= MIRRORED_SHARE * len(told.terms) if told.terms else False
    values = tuple(read_values(text, language))
    return _Unit(span, frozenset(terms(text, language)), values, told.negated, mirrored, told.scopes)


def _claim_term_share(asked: _Asked, window: Sequence[_Unit], known: set[str]) -> float:
    """Return the share of the claim's terms in the window; 0 where a value or a scope is missing, or "not" differs."""
    claim, held = asked.claim, [value for unit in window for value in unit.values]
    if not all(holds_value(value, held, asked.units) for value in asked.values):
        return 0.0
    if not claim.scopes <= frozenset[str]().union(*(unit.scopes for unit in window)):
        return 0.0
    if not claim.terms:
        return 1.0
    denied = [unit for unit in window if unit.negated]
    if claim.negated and not any(len(claim.terms & unit.terms) >= DENIED_SHARE * len(claim.terms) for unit in denied):
        return 0.0
    if not claim.negated and any(unit.mirrored for unit in denied):
        return 0.0
    return len(claim.terms & known.union(*(unit.terms for unit in window))) / len(claim.terms)
