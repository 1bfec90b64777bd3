"""Whether a walk has arrived: what of the last passage of a chain answers the question, given the steps before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log

from rove.answer.answer_kind import UNKNOWN, asks_for_value, has_value, is_value
from rove.answer.extract import Candidate
from rove.answer.short_answer import completed
from rove.language.cue_words import asks_for
from rove.language.find_words import has_word
from rove.language.words import query_terms
from rove.models import Embedder
from rove.models.judge import Judge
from rove.records.document import Span
from rove.references.text_references import references
from rove.walk.chain import cells_of, clauses, compared_form, held_terms
from rove.walk.chain_search import Link, Passage, Path
from rove.walk.question_names import has_name, question_names

LEAST_CHANCE = 1e-6
LOGIT, COVERED, LINKED, HEADED, HELD, POINTED, POINTS_ON, KIND, NAMED = 0.5, 5.0, 1.0, 0.5, 3.0, 1.5, 2.0, 8.0, 8.0
ELSEWHERE = 4.0
"""What counts: the judge's logit, the question's words on the way, and of these those of the sentence that named the
value gone on from, that the name of its column has some, a value of the step before that the answer stands with, a
reference that led there; and against it a passage that points on, and more so by a clause that has what is asked, an
answer of another kind than is asked, a name of the question that the way lacks."""
LEVEL = 3.0
SURE, LEAST_COVERED, DIRECTLY = 4.5, 0.6, 6.0
"""A passage that no step led to must answer as surely as docs/decisions/058-judge.md has it, and hold this share of the
question's words, for others say them of something else; what each further share of them counts."""
CELL_ALONE, LEAST_ALONE, CELL_SEEN, NAMED_COLUMN, TOLD_COLUMN, UNFIT_CELL = 0.07, -4.0, 0.05, 0.2, 0.3, 0.3
"""What counts for a cell beside the cosine of its column's name: the judge's logit that it answers, read alone after
the row's key, that much at least; that the judge sees the answer in it, in the whole row; each word of its column's
name that the question has, times their share; that a step before, or another passage that the question leads to, names
its column; and against it that it is of another kind than asked."""
CLEAR_CELL, UNCLEAR = 0.12, 4.0
"""By how much the best cell counts more than the next, to be clearly the best; else the most that the logit may be."""
UNFIT = 0.8
"""How surely words are of another kind than asked, to be no answer while others are."""
UNLIKELY = 0.25
"""Chance of a kind of answer below which words of it count less, down to not at all at 0."""
GIVEN_CHARS = 160


@dataclass(frozen=True, slots=True)
class ChainAnswer:
    """A sentence or row that may answer, the words of its document that do, and how surely: a logit.

    `most`: the most that the logit may count for as a chance, where another cell of the row may be what is asked.
    """

    path: Path
    candidate: Candidate
    span: Span
    score: float
    most: float = inf

    @property
    def chance(self) -> float:
        """How surely it answers, 0 to 1."""
        return 1 / (1 + exp(-max(min(self.score, self.most, 30.0), -30.0)))


class ChainJudge:
    """Lets the judge read the last passage of a chain given the step before it.

    `told`: what the passages that the question itself leads to say; it may name a column of another table.
    """

    def __init__(
        self,
        judge: Judge,
        embedder: Embedder,
        question: str,
        language: str,
        asked: frozenset[str],
        told: Sequence[str],
    ) -> None:
        self._judge, self._embedder, self._told = judge, embedder, told
        self._question, self._language, self._asked = question, language, asked
        self._kinds = asks_for(question, language)
        self._names = question_names(question, language)
        self._by_value: float | None = None

    async def answer(self, path: Path, passages: Sequence[Passage]) -> ChainAnswer | None:
        """Return what of the last passage answers best; None where nothing may.

        Raises:
            ServiceError: the judge's endpoint failed.
        """
        hop = path.last
        if self._by_value is None:
            self._by_value = await asks_for_value(self._question, self._embedder)
        rows = [one for one in hop.facts if one.is_row]
        if rows and (hop.held or len(path.hops) == 1):
            found = [await self._row(row, path, passages) for row in rows]
        else:
            found = [await self._passage(path, passages)]
        return max((one for one in found if one), key=lambda one: one.score, default=None)

    async def _row(self, row: Candidate, path: Path, passages: Sequence[Passage]) -> ChainAnswer | None:
        chunk = row.hit.chunk
        context = " > ".join(dict.fromkeys(part for part in (row.hit.title, *chunk.headings) if part))
        cells, clear = await self._cells(row, path, context)
        if not cells:
            return None
        logit = await self._logit(self._given(path), f"{context}\n{row.text}")
        cell = cells[0][1]
        start = row.citation.span[0] + max(row.citation.quote.find(cell), 0)
        if logit < 0 and len(path.hops) > 1:  # among its neighbours a row may be understood better
            text = chunk.indexed_text
            whole = await self._span(path, text, chunk.span[0] - len(text) + len(chunk.text), [row])
            logit = max(logit, await self._logit(self._given(path), text)) if whole else logit
        score = self._score(logit, path, passages, cell, row)
        return ChainAnswer(path, row, (start, start + len(cell)), score, inf if clear else UNCLEAR)

    async def _cells(self, row: Candidate, path: Path, context: str) -> tuple[list[tuple[str, str]], bool]:
        """Return the cells of a row that may answer, the best first, and whether that is clearly the best.

        They are of the kind asked, each read alone.
        """
        before = " ".join((self._question, *(c.text for hop in path.hops[:-1] for c in hop.facts)))
        own = [(name, cell, frozenset(query_terms(cell, self._language))) for name, cell in cells_of(row)]
        cells = [
            (name, cell) for name, cell, said in own if not said or said != held_terms(said, before, self._language)
        ]
        fitting = [pair for pair in cells if self._misfit(pair[1]) <= UNFIT] or cells
        if len(fitting) < 2:  # noqa: PLR2004
            return fitting, True
        told = compared_form("\n".join((*self._told, *(c.citation.quote for hop in path.hops[:-1] for c in hop.facts))))
        asked = (await self._embedder.queries([self._question]))[0]
        near = (await self._embedder.passages([name or cell for name, cell in fitting])) @ asked
        found = await self._judge.span(self._given(path), row.text)
        said = row.text[slice(*found.span)] if found else ""
        asked_terms = frozenset(query_terms(self._question, self._language))
        worth: list[float] = []
        for closeness, (name, cell) in zip(near, fitting, strict=True):
            key = next((f"{head}: {one}; " for head, one in cells_of(row) if one != cell), "")
            alone = await self._logit(self._given(path), f"{context}\n{key}{name}: {cell}")
            own = set(query_terms(name, self._language))
            share = len(own & asked_terms) ** 2 / max(len(own), 1)
            seen = cell in said or (bool(said) and said in cell)
            counted = CELL_ALONE * max(alone, LEAST_ALONE) + CELL_SEEN * seen + NAMED_COLUMN * share
            counted += TOLD_COLUMN * _names_column(told, name, cell)
            worth.append(float(closeness) + counted - UNFIT_CELL * self._misfit(cell))
        order = sorted(range(len(fitting)), key=lambda at: -worth[at])
        return [fitting[at] for at in order], worth[order[0]] - worth[order[1]] >= CLEAR_CELL

    async def _passage(self, path: Path, passages: Sequence[Passage]) -> ChainAnswer | None:
        """Read the whole passage, and where the answer is to stand beside a value, that sentence alone."""
        passage = passages[path.last.passage]
        hit, held = passage.hit, path.last.facts[:1] if path.last.held else ()
        text = hit.chunk.indexed_text
        moved = hit.chunk.span[0] - len(text) + len(hit.chunk.text)
        whole = await self._span(path, text, moved, passage.candidates)
        if not held or (whole and whole[0] in path.last.facts):
            found = whole
        else:
            context = " > ".join(dict.fromkeys(part for part in (hit.title, *hit.chunk.headings) if part)) + "\n"
            text, moved = context + held[0].citation.quote, held[0].citation.span[0] - len(context)
            found = await self._span(path, text, moved, held)
        if found is None or (found[0].is_row and len(path.hops) > 1):
            return None
        one, span = found
        if self._misfit(self._said(one, span)[1]) > UNFIT:  # "Registered at Mandal, she was lost in 1920."
            span = await self._beside(path, text, moved, one, span) or span
        inner, said = self._said(one, span)
        if not said.strip() or _is_pointer(one.citation.quote, inner):
            return None
        score = self._score(await self._logit(self._given(path), text), path, passages, said, one)
        offset = one.citation.span[0]
        return ChainAnswer(path, one, (inner[0] + offset, inner[1] + offset), score)

    def _said(self, one: Candidate, span: Span) -> tuple[Span, str]:
        """Return a span of a document as one of a sentence in it, whole words, and what stands there."""
        offset, quote = one.citation.span[0], one.citation.quote
        end = min(span[1], one.citation.span[1])
        inner = completed(quote, (span[0] - offset, end - offset), one.hit.chunk.language)
        return inner, quote[slice(*inner)]

    async def _beside(self, path: Path, text: str, moved: int, one: Candidate, span: Span) -> Span | None:
        """Return where the judge sees the answer before or behind words that are of another kind than asked."""
        start, end = (edge - moved for edge in one.citation.span)
        first, last = (edge - moved for edge in span)
        found: list[tuple[float, Span]] = []
        for edges in ((start, first), (last, end)):
            seen = await self._judge.span(self._given(path), text[slice(*edges)])
            if seen is not None:
                at = moved + edges[0]
                found.append((seen.score, (seen.span[0] + at, seen.span[1] + at)))
        fitting = [pair for pair in found if self._misfit(self._said(one, pair[1])[1]) <= UNFIT]
        return max(fitting, default=(0.0, None))[1]

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
        way = "\n".join(
            f"{passages[hop.passage].hit.title}\n{passages[hop.passage].hit.chunk.indexed_text}" for hop in path.hops
        )
        named = all(has_name(way, name) for name in self._names)
        pointed = sum(hop.link is not None and hop.link.spot is not None for hop in path.hops)
        misfit = self._misfit(said)
        if len(path.hops) == 1:
            return min(logit - SURE, DIRECTLY * (covered - LEAST_COVERED)) - NAMED * (not named) - KIND * misfit
        score = LOGIT * logit + COVERED * covered + HELD * path.last.held + POINTED * min(pointed, 2)
        score += LINKED * self._share(path.last.link) + HEADED * any(self._is_headed(hop.link) for hop in path.hops)
        score -= POINTS_ON * _points_on(passages[path.last.passage], path)
        score -= ELSEWHERE * self._is_elsewhere(passages[path.last.passage], path, one, said)
        score -= KIND * misfit + NAMED * (not named) + LEVEL
        return score

    def _share(self, link: Link | None) -> float:
        """The share of the question's words in the sentence that named a value; 0 where a reference led on."""
        if link is None or link.value is None:
            return 0.0
        return len(held_terms(self._asked, link.at.text, self._language)) / max(len(self._asked), 1)

    def _is_headed(self, link: Link | None) -> bool:
        """Say whether what was gone on from is a cell of a column that has words of the question in its name."""
        head = link.value.head if link and link.value else ""
        return bool(head and held_terms(self._asked, head, self._language))

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

    def _misfit(self, said: str) -> float:
        """How surely words are of another kind than asked, 0 to 1: who is no number, how many and when have one."""
        by_value = UNKNOWN if self._by_value is None else self._by_value
        if self._kinds & {"count", "when"}:
            return not has_value(said, self._language)
        if is_value(said, self._language):
            return "who" in self._kinds or max(1 - by_value / UNLIKELY, 0.0)
        return 0.0 if has_value(said, self._language) else max(1 - (1 - by_value) / UNLIKELY, 0.0)


def _names_column(told: str, name: str, cell: str) -> bool:
    """Say whether a text has the name of a column, and not for the cell's sake ("see Item 5")."""
    head, own = compared_form(name), compared_form(cell)
    return len(head) > 1 and has_word(told, head) and not has_word(told, f"{head} {own}")


def _points_on(passage: Passage, path: Path) -> bool:
    """Say whether a chain could go on from a passage by a reference."""
    spots = [spot for pairs in passage.references.values() for _, spot in pairs if spot]
    known = {(hop.link.spot.document_id, hop.link.spot.span) for hop in path.hops if hop.link and hop.link.spot}
    return len(path.hops) > 1 and any((spot.document_id, spot.span) not in known for spot in spots)


def _is_pointer(said: str, span: Span) -> bool:
    """Say whether words are part of a reference to another place."""
    return any(one.kind != "link" and one.span[0] < span[1] and span[0] < one.span[1] for one in references(said))
