"""Explore the graph of knowledge: from names, documents or passages to what is said of them, hop by hop.

Names that a text calls one thing ("also called"), and those that other languages write alike, are one entity.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rove.errors import InputError
from rove.language.dictionary import Dictionary
from rove.language.names import name_key
from rove.records import Filter
from rove.records.graph import ALIAS, Entity, Link, Relation, Subgraph
from rove.store.knowledge_graph import Direction, KnowledgeGraph, Seen
from rove.store.store import Store

DIRECTIONS: tuple[Direction, ...] = ("out", "in", "both")
DEEPEST, WIDEST, MOST_LINKS = 5, 200, 2_000
MOST_ALIASES = 8
"""Other names that are followed from one name."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How far to go: `depth` links from a seed, `fan` of one entity, `limit` in all.

    `direction`: "out" (what an entity does), "in" (what is done to it), "both".
    """

    direction: Direction = "both"
    depth: int = 1
    fan: int = 20
    limit: int = 100

    def checked(self) -> Reach:
        """Return it.

        Raises:
            InputError: a number is out of range, or the direction is none.
        """
        if self.direction not in DIRECTIONS:
            message = f"The direction is {self.direction!r}."
            raise InputError(message, cure=f"Choose one of: {', '.join(DIRECTIONS)}.")
        for name, value, most in (
            ("depth", self.depth, DEEPEST),
            ("fan", self.fan, WIDEST),
            ("limit", self.limit, MOST_LINKS),
        ):
            if not 1 <= value <= most:
                message = f"{name} is {value}."
                raise InputError(message, cure=f"It must be 1 to {most:,}.")
        return self


@dataclass(frozen=True, slots=True)
class Seeds:
    """Where to begin: names of things, documents by their ids, chunks by theirs."""

    names: Sequence[str] = ()
    documents: Sequence[str] = ()
    chunks: Sequence[str] = ()


async def explore(
    store: Store, seeds: Seeds, reach: Reach, where: Filter | None = None, *, space: str = ""
) -> Subgraph:
    """Return what is said of the seeds, and of what that leads to.

    Args:
        store: the base.
        seeds: where to begin; one that is not in the graph leads nowhere.
        reach: how far to go.
        where: only what documents say that a filter lets through.
        space: whose walks have learned what is shown beside the documents.

    Raises:
        InputError: the reach is out of range.
    """
    languages = await store.languages(where)
    await store.graph.ready()

    def seen(owners: Mapping[str, str]) -> Collection[str]:
        return store.documents.passing(sorted(set(owners.values())), where) if where else owners

    words = await asyncio.to_thread(store.words.current)
    explorer = Explorer(store.graph, words, languages, reach.checked(), seen if where else None, space)
    return await asyncio.to_thread(explorer.explore, seeds)


def entity_keys(name: str, languages: Iterable[str]) -> set[str]:
    """Return the keys that a name has in texts of these languages.

    >>> sorted(entity_keys("Running", ["en", "de"]))
    ['run', 'running']
    """
    return {key for language in languages if (key := name_key(name, language))}


class Explorer:
    """One exploration. Calls block."""

    def __init__(
        self,
        graph: KnowledgeGraph,
        words: Dictionary,
        languages: Sequence[str],
        reach: Reach,
        seen: Seen | None,
        space: str,
    ) -> None:
        self.graph = graph
        self.words = words
        self.languages = languages
        self.reach = reach
        self.seen = seen
        self.space = space
        self.more = False
        self._seeds = frozenset[str]()
        self._same: dict[str, str] = {}
        self._hops: dict[str, int] = {}
        self._names: dict[str, Counter[str]] = defaultdict(Counter)
        self._joined: dict[tuple[str, str], Relation] = {}
        self._links: dict[tuple[str, str, str], list[Relation]] = {}

    def explore(self, seeds: Seeds) -> Subgraph:
        """See `explore`."""
        ring = set[str]()
        for name in seeds.names:
            keys = self._keys_of(name)
            self._join_all(keys)
            ring |= keys
        self._seeds = frozenset(ring)
        said = self._said_by(seeds)
        for relation in said:
            ring |= self._take(relation)
        for hop in range(self.reach.depth + 1 - bool(said)):
            ring = self._with_other_names(ring)
            for key in ring:
                self._hops.setdefault(key, hop)
            if hop < self.reach.depth - bool(said):
                ring = self._further(ring)
        for key in ring:
            self._hops.setdefault(key, self.reach.depth)
        return self._subgraph()

    def _keys_of(self, name: str) -> set[str]:
        """The keys of a name, and of the other names that the user's dictionary has for it."""
        return {key for one in self.words.names_of(name) for key in entity_keys(one, self.languages)}

    def _said_by(self, seeds: Seeds) -> list[Relation]:
        said = self.graph.of_documents(seeds.documents, space=self.space) if seeds.documents else []
        said += self.graph.of_chunks(seeds.chunks, space=self.space) if seeds.chunks else []
        passing = self.seen({one.chunk_id: one.document_id for one in said}) if self.seen else None
        return said if passing is None else [one for one in said if one.chunk_id in passing]

    def _with_other_names(self, ring: set[str]) -> set[str]:
        """Take in what texts call these things besides."""
        fresh = ring
        for _ in range(2):  # a name's other name may have one more
            found = self._touching(fresh, most=MOST_ALIASES, only_aliases=True)
            fresh = {key for relation in found for key in self._take(relation)} - ring
            ring = ring | fresh
        return ring

    def _further(self, ring: Collection[str]) -> set[str]:
        """Take in the relations of these entities, and return what they lead to that is new.

        A number or a date that was met leads no further: what else has it is something else.
        """
        things = [key for key in ring if key in self._seeds or any(letter.isalpha() for letter in key)]
        fans, ahead = Counter[str](), set[str]()
        for relation in self._touching(things, most=self.reach.fan + 1 + MOST_ALIASES):
            if relation.triplet.predicate == ALIAS:
                continue
            ends = {self._group(key) for key in _ends(relation) if key in ring}
            if all(fans[end] >= self.reach.fan for end in ends):
                self.more = True
            else:
                fans.update(ends)
                ahead |= self._take(relation)
        return {key for key in ahead if key not in self._hops}

    def _touching(self, keys: Collection[str], *, most: int, only_aliases: bool = False) -> list[Relation]:
        if not keys:
            return []
        return self.graph.touching(
            keys,
            direction=self.reach.direction,
            most=most,
            space=self.space,
            only_aliases=only_aliases,
            seen=self.seen,
        )

    def _take(self, relation: Relation) -> set[str]:
        """Take in a relation; returns the keys of its ends, as every language has them, none where there is no room."""
        triplet = relation.triplet
        subject, predicate, object_ = triplet.subject_key, triplet.predicate, triplet.object_key
        link = (subject, predicate.casefold(), object_)
        if predicate != ALIAS and link not in self._links and len(self._links) >= self.reach.limit:
            self.more = True
            return set()
        ends = set[str]()
        for key, name in ((subject, triplet.subject), (object_, triplet.object)):
            self._names[key][name] += 1
            same = {key} | self._keys_of(name)
            self._join_all(same)
            ends |= same
        if predicate == ALIAS:
            self._joined.setdefault((subject, object_), relation)
            self._join_all((subject, object_))
        elif relation not in self._links.setdefault(link, []):
            self._links[link].append(relation)
        return ends

    def _group(self, key: str) -> str:
        while (parent := self._same.get(key, key)) != key:
            key = parent
        return key

    def _join_all(self, keys: Collection[str]) -> None:
        groups = sorted({self._group(key) for key in keys})
        for group in groups[1:]:
            self._same[group] = groups[0]

    def _subgraph(self) -> Subgraph:
        groups: dict[str, list[str]] = defaultdict(list)
        for key in self._names:
            groups[self._group(key)].append(key)
        joined: dict[str, list[Relation]] = defaultdict(list)
        for (subject, _), relation in self._joined.items():
            joined[self._group(subject)].append(relation)
        links: dict[tuple[str, str, str], Link] = {}
        for (subject, folded, object_), relations in self._links.items():
            ends = (self._group(subject), self._group(object_))
            if ends[0] == ends[1]:
                continue
            known = links.get((ends[0], folded, ends[1]))
            every = (*(known.relations if known else ()), *relations)
            links[ends[0], folded, ends[1]] = Link(ends[0], every[0].triplet.predicate, ends[1], every)
        said_of = Counter(end for link in links.values() for end in (link.subject, link.object))
        entities = [
            self._entity(group, keys, tuple(joined[group]))
            for group, keys in groups.items()
            if group in said_of or joined[group]
        ]
        entities.sort(key=lambda entity: (entity.hops, -said_of[entity.key], entity.name))
        return Subgraph(tuple(entities), tuple(links.values()), self.more)

    def _entity(self, group: str, keys: Sequence[str], joined: tuple[Relation, ...]) -> Entity:
        names = sum((self._names[key] for key in keys), Counter[str]())
        ordered = sorted(names, key=lambda name: (-names[name], name))
        return Entity(group, tuple(ordered), min(self._hops.get(key, self.reach.depth) for key in keys), joined)


def _ends(relation: Relation) -> tuple[str, str]:
    return relation.triplet.subject_key, relation.triplet.object_key
