"""Looks for chains in what was read: from what the question is about, by what that names, to what may answer. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from rove.answer.extract import Candidate, heading_of, table_of
from rove.language.find_words import has_word
from rove.language.folding import fold_words
from rove.language.scripts import is_unspaced
from rove.records import Hit
from rove.records.walk_events import LeadKind
from rove.references.targets import Spot
from rove.references.text_references import Reference
from rove.walk.cell_values import CellValues
from rove.walk.chain import BridgeValue, held_terms, values_of_text

HOPS = 4
BEAM = 16
ROOTS = 6
OF_DOCUMENT = 3
"""Passages of a document that is pointed to as a whole: those that go on best."""
LARGE = 12
"""Sentences from which on a passage points on only where it says something of the question."""
LEAST_ROOT = 0.1
FANOUT = 4
"""Sentences and rows that a value leads to at most: what more of them say tells nothing."""
LEAST_TITLE, LEAST_TITLE_UNSPACED = 5, 3


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that was read. `words`: what it holds of the question's terms, its title and headings counted.

    `names`: how many of the question's names it holds.
    """

    hit: Hit
    candidates: tuple[Candidate, ...]
    references: Mapping[int, tuple[tuple[Reference, Spot | None], ...]]
    words: frozenset[str]
    names: int = 0

    @property
    def points(self) -> bool:
        """Whether it refers to a place that is known."""
        return any(spot for pairs in self.references.values() for _, spot in pairs)

    @property
    def titles(self) -> tuple[str, ...]:
        """What it may be called by: its document's title, and the name of its file."""
        names = (self.hit.title, PurePath(self.hit.uri).stem)
        return tuple(dict.fromkeys(name for name in names if _is_distinctive_title(fold_words(name))))


@dataclass(frozen=True, slots=True)
class Link:
    """What a fact names by which one goes on. `spot`: the place, if it is known; `at`: the sentence that names it."""

    text: str
    kind: LeadKind
    at: Candidate
    spot: Spot | None = None
    value: BridgeValue | None = None


@dataclass(frozen=True, slots=True)
class Hop:
    """A passage of a chain, what it contributes, the first first, and what led there; `held`: by a value of before."""

    passage: int
    facts: tuple[Candidate, ...]
    link: Link | None = None
    held: bool = False


@dataclass(frozen=True, slots=True)
class Path:
    """A chain of passages. `words`: the question's terms that its facts hold together, with their titles."""

    hops: tuple[Hop, ...]
    words: frozenset[str]

    @property
    def last(self) -> Hop:
        """Where it has come to."""
        return self.hops[-1]

    @property
    def ending(self) -> tuple[object, ...]:
        """What the judge reads of it: where it ends, by what, and what led there."""
        at = self.last.link.at.citation if self.last.link else None
        facts = tuple(one.citation.span for one in self.last.facts)
        return self.last.passage, facts, at and (at.document_id, at.span)

    def goes_through(self, passage: int) -> bool:
        """Say whether a passage is on it."""
        return any(hop.passage == passage for hop in self.hops)


@dataclass(frozen=True, slots=True)
class OpenLink:
    """A link that leads to nothing that was read, and the path that ends in it."""

    link: Link
    path: Path


class ChainSearch:
    """Searches chains in passages, breadth first, the best `BEAM` of each length."""

    def __init__(self, passages: Sequence[Passage], question: str, asked: Mapping[str, str], language: str) -> None:
        self._passages = passages
        self._question, self._language = question, language
        self._asked = frozenset(asked)
        self._words: dict[int, frozenset[str]] = {}  # by the id of a candidate, all of which the passages keep
        self._cells = CellValues([one for passage in passages for one in passage.candidates if one.is_row], question)
        self.open: list[OpenLink] = []
        self.roots = self._roots()

    def paths(self) -> list[Path]:
        """Return the chains of two passages and more; what they lead to beside is in `open`."""
        level, found = self.roots, list[Path]()
        for _ in range(HOPS):
            following = [path for one in level for path in self._longer(one)]
            best: dict[tuple[int, tuple[str, ...]], Path] = {}
            for path in sorted(following, key=self.worth, reverse=True):
                best.setdefault((path.last.passage, tuple(c.text for c in path.last.facts)), path)
            level = list(best.values())[:BEAM]
            found += level
        return found

    def worth(self, path: Path) -> float:
        """How well a path goes: the share of the question's words, and how many of its steps go on from a value."""
        share = len(path.words) / max(len(self._asked), 1)
        return share + 0.25 * sum(hop.held for hop in path.hops) / len(path.hops)

    def promise(self, path: Path) -> float:
        """How likely a path ends in an answer: as far as it goes well, and its end goes on from a value."""
        return self.worth(path) + 0.5 * path.last.held

    def share(self, words: frozenset[str]) -> float:
        """The share of the question's terms that these are."""
        return len(words) / max(len(self._asked), 1)

    def _roots(self) -> list[Path]:
        shares = [self.share(one.words) for one in self._passages]
        best = max(shares, default=0.0)
        named = [one.names for one in self._passages]
        order = sorted(range(len(shares)), key=lambda at: (-named[at], -shares[at]))
        least = min(max(named, default=0), 1)
        kept = [at for at in order if shares[at] >= max(LEAST_ROOT, best / 3) and named[at] >= least]
        kept = [*kept[:ROOTS], *[at for at in kept[ROOTS:] if self._passages[at].points][:ROOTS]]
        return [self._begun(at) for at in kept]

    def _begun(self, at: int) -> Path:
        passage = self._passages[at]
        near = self._nearest(passage.candidates)[:2]
        after = [one for one in passage.candidates if near and one.place == near[0].place + 1 and one not in near]
        return Path((Hop(at, (*near, *after)),), passage.words)

    def _nearest(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return what says most of the question, of a table the best rows alone, if any has words of it."""
        return sorted(self._best_rows(candidates, 1), key=lambda one: -len(self.words_of(one)))

    def _best_rows(self, found: Sequence[Candidate], least: int = 0) -> list[Candidate]:
        """Leave out the rows that have fewer words of the question than another of their table, or than `least`."""
        most: dict[object, int] = {}
        for one in found:
            if one.is_row:
                most[table_of(one)] = max(most.get(table_of(one), least), len(self.words_of(one)))
        return [one for one in found if not one.is_row or len(self.words_of(one)) == most[table_of(one)]]

    def words_of(self, one: Candidate) -> frozenset[str]:
        """The question's terms that a sentence or row has."""
        if (words := self._words.get(id(one))) is None:
            words = self._words[id(one)] = held_terms(self._asked, f"{one.under} {one.text}", self._language)
        return words

    def _longer(self, path: Path) -> Iterator[Path]:
        for link in self._links(path):
            found = False
            for hop in self._targets(link, path):
                found = True
                passage = self._passages[hop.passage]
                told = " ".join((passage.hit.title, *passage.hit.chunk.headings, *(c.text for c in hop.facts)))
                words = held_terms(self._asked, told, self._language)
                yield Path((*path.hops, hop), path.words | words)
            if not found and (link.spot is None or not self._stands_on(path, link.spot)):
                self.open.append(OpenLink(link, path))

    def _stands_on(self, path: Path, spot: Spot) -> bool:
        return any(_is_spot_in(spot, self._passages[hop.passage]) for hop in path.hops)

    def _links(self, path: Path) -> Iterator[Link]:
        """Yield what the last passage points to and then what its facts bring up, each once."""
        last = path.last
        passage = self._passages[last.passage]
        for at, references in passage.references.items():
            one = passage.candidates[at]
            if self._points_for(one, last, passage):
                for reference, spot in references:
                    if spot is not None or reference.kind in {"reference", "link"} or reference.unit == "named":
                        yield Link(reference.label, reference.kind, one, spot)
        for value, one in self._values(path):
            yield Link(value.wanted, "name", one, value=value)

    def _points_for(self, one: Candidate, hop: Hop, passage: Passage) -> bool:
        """Say whether what a sentence or row of a passage points to may count: of rows their own alone."""
        if one in hop.facts:
            return True
        if one.is_row and any(fact.is_row for fact in hop.facts):
            return False
        return len(passage.candidates) <= LARGE or bool(self.words_of(one))

    def _values(self, path: Path) -> list[tuple[BridgeValue, Candidate]]:
        """Return what the last facts bring up, and what else their passage names of other kinds."""
        before = " ".join(c.text for hop in path.hops[:-1] for c in hop.facts)
        found = self._values_of(path.last.facts, before, path.last.link)
        heads = {value.head for value, _ in found if value.sure}
        beside = self._values_of(self._beside(path.last), before)
        return found + [pair for pair in beside if pair[0].sure and pair[0].head not in heads]

    def _beside(self, hop: Hop) -> list[Candidate]:
        """Return what else a short passage says in sentences, under the headings of the hop's own."""
        candidates, headings = self._passages[hop.passage].candidates, {heading_of(fact) for fact in hop.facts}
        others = [one for one in candidates if not one.is_row and one not in hop.facts and heading_of(one) in headings]
        return others if len(candidates) <= LARGE else []

    def _values_of(
        self, facts: Sequence[Candidate], before: str = "", link: Link | None = None
    ) -> list[tuple[BridgeValue, Candidate]]:
        """Return what sentences and rows bring up: cells of tables that they name, and see `values_of_text`.

        `link`: what led to them.
        """
        led = link.value.text if link and link.value else ""
        cells = self._cells.named_in(facts, self._question, before, led)
        return [*cells, *((value, one) for one in facts for value in values_of_text(one, self._question, before))]

    def _targets(self, link: Link, path: Path) -> Iterator[Hop]:
        if link.spot is not None:
            places = [
                at for at, one in enumerate(self._passages) if _is_spot_in(link.spot, one) and not path.goes_through(at)
            ]
            steps = self._sure_values(path, link) if places else []
            hops = [self._placed(at, link, steps, _candidates_in(link.spot, self._passages[at])) for at in places]
            whole = link.spot.span is None and len(hops) > OF_DOCUMENT
            yield from sorted(hops, key=lambda hop: -self._goes_on(hop))[:OF_DOCUMENT] if whole else hops
        elif link.value is not None:
            found = [
                hop
                for at in range(len(self._passages))
                if not path.goes_through(at) and (hop := self._valued(at, link, path))
            ]
            yield from found if sum(len(hop.facts) for hop in found) <= FANOUT else ()

    def _sure_values(self, path: Path, link: Link) -> list[list[BridgeValue]]:
        """Return what each step of a path brings up, the last one first, and with it the sentence of a link beside."""
        steps = [self._values_of(hop.facts, link=hop.link) for hop in path.hops[::-1]]
        steps[0] += [] if link.at.is_row else self._values_of([link.at])
        return [[value for value, _ in step if value.sure] for step in steps]

    def _valued(self, at: int, link: Link, path: Path) -> Hop | None:
        """Go to a passage that says a value, or that, or a part of which, is named by it."""
        passage, value = self._passages[at], link.value
        if value is None:
            return None
        held = [one for one in passage.candidates if value.stands_in(one)]
        if held:
            return Hop(at, tuple(self._best_rows(held)[:2]), link, held=value.sure)
        named = value.names(passage.hit.chunk.headings)
        under = [one for one in passage.candidates if named or value.names((heading_of(one),))]
        if any(one.is_row for one in under):
            return self._placed(at, link, self._sure_values(path, link), under)
        return Hop(at, tuple(under[:3]), link, held=True) if under else None

    def _placed(self, at: int, link: Link, steps: Sequence[list[BridgeValue]], candidates: Sequence[Candidate]) -> Hop:
        """Go to a place: to what has a value of the last step of which it has any, else to what is nearest."""
        said = ([one for one in candidates if any(v.stands_in(one) for v in values)] for values in steps)
        held = next((found for found in said if found), list[Candidate]())
        near = self._nearest(candidates)
        rows = [one for one in near if one.is_row and len(self.words_of(one)) == len(self.words_of(near[0])) > 0]
        return Hop(at, tuple((held or near)[:2]), link, held=bool(held) or (len(rows) == 1 and near[0].is_row))

    def _goes_on(self, hop: Hop) -> float:
        return hop.held + self.share(frozenset[str]().union(*map(self.words_of, hop.facts)))


def titled_links(one: Candidate, passages: Sequence[Passage], own: str) -> Iterator[Spot]:
    """Yield the documents that a sentence names by their title or the name of their file."""
    told: set[str] = {own}
    for passage in passages:
        document_id = passage.hit.chunk.document_id
        if document_id not in told and any(_is_title_in(title, one.text) for title in passage.titles):
            told.add(document_id)
            yield Spot(document_id, None, passage.hit.title)


def _is_spot_in(spot: Spot, passage: Passage) -> bool:
    chunk = passage.hit.chunk
    if chunk.document_id != spot.document_id:
        return False
    return spot.span is None or (chunk.span[0] < spot.span[1] and spot.span[0] < chunk.span[1])


def _candidates_in(spot: Spot, passage: Passage) -> Sequence[Candidate]:
    """Return what a passage says in a place; all of it, where the place begins and ends within a sentence or row."""
    if spot.span is None:
        return passage.candidates
    start, end = spot.span
    return [one for one in passage.candidates if start <= one.citation.span[0] < end] or passage.candidates


def _is_title_in(title: str, text: str) -> bool:
    """Say whether a text names a title: in any case, but one of a single word as a name is written.

    >>> _is_title_in("Policy", "RETURN POLICY: within 30 days"), _is_title_in("Travel Policy", "See the travel policy.")
    (False, True)
    """
    name, said = fold_words(title), fold_words(text)
    if name not in said or is_unspaced(name):
        return name in said
    if " " in name:
        return f" {name} " in f" {said} "
    return title[:1].isupper() and has_word(text, title)


def _is_distinctive_title(name: str) -> bool:
    return len(name) >= (LEAST_TITLE if name.isascii() else LEAST_TITLE_UNSPACED)
