"""Whether a walk has arrived: what of the last passage of a chain answers the question, given the steps before it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

from rove.answer.extract import Candidate
from rove.answer.short_answer import completed
from rove.answer.values import read_values
from rove.enrich.entities import CAPITALISED_NOUNS, mentions
from rove.language.cue_words import asks_for
from rove.language.words import query_terms
from rove.models import Embedder
from rove.models.judge import Judge
from rove.records.document import Span
from rove.walk.chain import cells_of, clauses, held_terms
from rove.walk.chain_search import Link, Passage, Path
from rove.walk.leads import fold_words
from rove.walk.references import references

LEAST_CHANCE = 1e-6
LOGIT, COVERED, LINKED, HELD, POINTED, POINTS_ON, KIND, NAMED = 0.5, 5.0, 1.0, 3.0, 1.5, 2.0, 8.0, 8.0
ELSEWHERE = 4.0
"""What counts: the judge's logit, the question's words on the way, and of these those of the sentence that named the
value gone on from, a value of the step before that the answer stands with, a reference that led there; and against it a
passage that points on, and more so by a clause that has what is asked, an answer of another kind than is asked, a name
of the question that the way lacks."""
LEVEL = 3.0
SURE, LEAST_COVERED, DIRECTLY = 4.5, 0.6, 6.0
"""A passage that no step led to must answer as surely as docs/decisions/058-judge.md has it, and hold this share of the
question's words, for others say them of something else; what each further share of them counts."""
JUDGED = 0.1
"""What counts for a cell that the judge sees the answer in, beside the cosine of its column's name."""
CODE = re.compile(r"[A-Za-z]{1,6}-?\d+")
"""What has digits and is no number: "G7", "KZ-77"."""
SPELLED = 0.25
"""Share of its characters that a value in words takes of what is one."""
GIVEN_CHARS = 160


@dataclass(frozen=True, slots=True)
class ChainAnswer:
    """A sentence or row that may answer, the words of its document that do, and how surely: a logit."""

    path: Path
    candidate: Candidate
    span: Span
    score: float

    @property
    def chance(self) -> float:
        """The same as a chance, 0 to 1."""
        return 1 / (1 + exp(-max(min(self.score, 30.0), -30.0)))


class ChainJudge:
    """Lets the judge read the last passage of a chain given the step before it."""

    def __init__(self, judge: Judge, embedder: Embedder, question: str, language: str, asked: frozenset[str]) -> None:
        self._judge, self._embedder = judge, embedder
        self._question, self._language, self._asked = question, language, asked
        self._kinds = asks_for(question, language)
        self._names = question_names(question, language)

    async def answer(self, path: Path, passages: Sequence[Passage]) -> ChainAnswer | None:
        """Return what of the last passage answers best; None where nothing may.

        Raises:
            ServiceError: the judge's endpoint failed.
        """
        hop = path.last
        rows = [one for one in hop.facts if one.is_row]
        if rows and (hop.held or len(path.hops) == 1):
            found = [await self._row(row, path, passages) for row in rows]
        else:
            found = [await self._passage(path, passages)]
        return max((one for one in found if one), key=lambda one: one.score, default=None)

    async def _row(self, row: Candidate, path: Path, passages: Sequence[Passage]) -> ChainAnswer | None:
        cells = await self._cells(row, path)
        if not cells:
            return None
        chunk = row.hit.chunk
        context = " > ".join(dict.fromkeys(part for part in (row.hit.title, *chunk.headings) if part))
        logit = await self._logit(self._given(path), f"{context}\n{row.text}")
        cell = cells[0][1]
        start = row.citation.span[0] + max(row.citation.quote.find(cell), 0)
        if logit < 0 and len(path.hops) > 1:  # among its neighbours a row may be understood better
            text = chunk.indexed_text
            whole = await self._span(path, text, chunk.span[0] - len(text) + len(chunk.text), [row])
            logit = max(logit, await self._logit(self._given(path), text)) if whole else logit
        return ChainAnswer(path, row, (start, start + len(cell)), self._score(logit, path, passages, cell, row))

    async def _cells(self, row: Candidate, path: Path) -> list[tuple[str, str]]:
        """Return the cells of a row that may answer, the best first: of the kind asked, nearest by their column."""
        before = " ".join((self._question, *(c.text for hop in path.hops[:-1] for c in hop.facts)))
        known = set(query_terms(before, self._language))
        cells = [
            (name, cell)
            for name, cell in cells_of(row)
            if not known.issuperset(query_terms(cell, self._language) or [""])
        ]
        fitting = [pair for pair in cells if self._fits(pair[1])] or cells
        if len(fitting) < 2:  # noqa: PLR2004
            return fitting
        asked = (await self._embedder.queries([self._question]))[0]
        near = (await self._embedder.passages([name or cell for name, cell in fitting])) @ asked
        found = await self._judge.span(self._given(path), row.text)
        said = row.text[slice(*found.span)] if found else ""
        asked_terms = set(query_terms(self._question, self._language))
        worth = [
            float(near[at])
            + JUDGED * (cell in said or (bool(said) and said in cell))
            + JUDGED * bool(asked_terms.intersection(query_terms(name, self._language)))
            for at, (name, cell) in enumerate(fitting)
        ]
        return [fitting[at] for at in sorted(range(len(fitting)), key=lambda at: -worth[at])]

    async def _passage(self, path: Path, passages: Sequence[Passage]) -> ChainAnswer | None:
        """Read the whole passage, and where the answer is to stand beside a value, that sentence alone."""
        passage = passages[path.last.passage]
        hit, held = passage.hit, path.last.facts[:1] if path.last.held else ()
        text = hit.chunk.indexed_text
        whole = await self._span(path, text, hit.chunk.span[0] - len(text) + len(hit.chunk.text), passage.candidates)
        if not held or (whole and whole[0] in path.last.facts):
            found = whole
        else:
            context = " > ".join(dict.fromkeys(part for part in (hit.title, *hit.chunk.headings) if part)) + "\n"
            text = context + held[0].citation.quote
            found = await self._span(path, text, held[0].citation.span[0] - len(context), held)
        if found is None or (found[0].is_row and len(path.hops) > 1):
            return None
        one, (start, end) = found
        offset, quote = one.citation.span[0], one.citation.quote
        inner = completed(quote, (start - offset, min(end, one.citation.span[1]) - offset), hit.chunk.language)
        said = quote[slice(*inner)]
        if not said.strip() or _is_pointer(quote, inner):
            return None
        score = self._score(await self._logit(self._given(path), text), path, passages, said, one)
        return ChainAnswer(path, one, (inner[0] + offset, inner[1] + offset), score)

    async def _span(
        self, path: Path, text: str, moved: int, candidates: Sequence[Candidate]
    ) -> tuple[Candidate, Span] | None:
        """Return the candidate in which the judge sees the answer, and where in the document; `moved`: of the text."""
        found = await self._judge.span(self._given(path), text)
        if found is None:
            return None
        start, end = found.span[0] + moved, found.span[1] + moved
        one = next((c for c in candidates if c.citation.span[0] <= start < c.citation.span[1]), None)
        return (one, (start, end)) if one else None

    async def _logit(self, asked: str, text: str) -> float:
        chance = await self._judge.answers(asked, text)
        return log(max(chance, LEAST_CHANCE) / max(1 - chance, LEAST_CHANCE))

    def _given(self, path: Path) -> str:
        """Put the step before the question, which the judge then understands: it reads 64 tokens of both."""
        link = path.last.link
        if link is None:
            return self._question
        said = link.at.text if link.at.is_row else link.at.citation.quote
        return f"{' '.join(said.split()).rstrip('.。')[:GIVEN_CHARS]}. {self._question}"

    def _score(self, logit: float, path: Path, passages: Sequence[Passage], said: str, one: Candidate) -> float:
        covered = len(path.words) / max(len(self._asked), 1)
        way = " ".join(
            f"{passages[hop.passage].hit.chunk.indexed_text} {passages[hop.passage].hit.title}" for hop in path.hops
        )
        said_on_the_way = fold_words(way)
        named = all(name in said_on_the_way for name in self._names)
        pointed = sum(hop.link is not None and hop.link.spot is not None for hop in path.hops)
        fits = self._fits(said)
        if len(path.hops) == 1:
            return min(logit - SURE, DIRECTLY * (covered - LEAST_COVERED)) - NAMED * (not named) - KIND * (not fits)
        score = LOGIT * logit + COVERED * covered + HELD * path.last.held + POINTED * min(pointed, 2)
        score += LINKED * self._share(path.last.link)
        score -= POINTS_ON * _points_on(passages[path.last.passage], path)
        score -= ELSEWHERE * self._is_elsewhere(passages[path.last.passage], path, one, said)
        score -= KIND * (not fits) + NAMED * (not named) + LEVEL
        return score

    def _share(self, link: Link | None) -> float:
        """The share of the question's words in the sentence that named a value; 0 where a reference led on."""
        if link is None or link.value is None:
            return 0.0
        return len(held_terms(self._asked, link.at.text, self._language)) / max(len(self._asked), 1)

    def _is_elsewhere(self, passage: Passage, path: Path, one: Candidate, said: str) -> bool:
        """Say whether a clause that points on has words of the question which the answer's, and the way, lack."""
        own = next((clause for clause in clauses(one.text) if said in clause), one.text)
        way = " ".join((own, *(c.text for hop in path.hops[:-1] for c in hop.facts)))
        lacking = self._asked - held_terms(self._asked, way, self._language)
        pointing = (
            clause
            for at, pairs in passage.references.items()
            for clause in clauses(passage.candidates[at].text)
            if clause != own and any(spot and reference.label in clause for reference, spot in pairs)
        )
        return any(held_terms(lacking, clause, self._language) for clause in pointing)

    def _fits(self, said: str) -> bool:
        """Say whether words are of the kind asked: who is no number, and how many and when are none without."""
        spelled = sum(value.span[1] - value.span[0] for value in read_values(said, self._language))
        has_value = any(map(str.isdigit, said)) or spelled >= SPELLED * len(said)
        has_value = has_value and not CODE.fullmatch(said.strip())
        if self._kinds & {"count", "when"}:
            return has_value
        return not ("who" in self._kinds and has_value)


def question_names(question: str, language: str) -> frozenset[str]:
    """Return the names of a question, their letters alone; of languages that write all nouns so, none."""
    named = [m.name for m in mentions(question, language) if m.sure and language not in CAPITALISED_NOUNS]
    return frozenset(filter(None, map(fold_words, named)))


def _points_on(passage: Passage, path: Path) -> bool:
    """Say whether a chain could go on from a passage by a reference."""
    spots = [spot for pairs in passage.references.values() for _, spot in pairs if spot]
    known = {(hop.link.spot.document_id, hop.link.spot.span) for hop in path.hops if hop.link and hop.link.spot}
    return len(path.hops) > 1 and any((spot.document_id, spot.span) not in known for spot in spots)


def _is_pointer(said: str, span: Span) -> bool:
    """Say whether words are part of a reference to another place."""
    return any(one.kind != "link" and one.span[0] < span[1] and span[0] < one.span[1] for one in references(said))
