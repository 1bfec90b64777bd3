"""What every graph store promises: it finds what the catalog would find, in its order, and nothing of what is gone."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from uuid import uuid4

from rove.records.graph import ALIAS
from rove.store.graph_store import GRAPH_STORES, Edge, End, GraphStore, Touch, firsts
from rove.testing.contract import Contract

THINGS = (
    "Marie Curie", "Warszawa", "杜甫", "東京都", "Győr", "Straße", "O'Hara \"x\" \\ $base }", "new\nline", "ʼ\u200dé",
    "3.5 kg",
)  # fmt: skip
PREDICATES = ("was born in", ALIAS, "写了", "található", "RETURN 1; MATCH (n) DETACH DELETE n //")
ENDS: tuple[End, ...] = ("subject", "object")
MOST = (None, 1, 3)


def edges() -> list[Edge]:
    """Make edges between all things, in five languages; some of what walks of two spaces have learned."""
    made: list[Edge] = []
    for number, (subject, object_) in enumerate(product(THINGS, THINGS), start=1):
        predicate, space = PREDICATES[number % len(PREDICATES)], ("", "", "anna", "béla")[number % 4]
        keys = (subject.casefold(), object_.casefold())
        made.append(Edge(number, subject, predicate, object_, *keys, f"chunk {number % 30}", f"d{number % 7}", space))
    return made


@dataclass(frozen=True, slots=True)
class Look:
    """What `GraphStore.touching` is asked."""

    keys: frozenset[str]
    end: End
    spaces: tuple[str, ...]
    only_aliases: bool = False
    most: int | None = None

    def at(self, store: GraphStore) -> list[Touch]:
        """Ask a store."""
        asked = partial(store.touching, self.keys, self.end, spaces=self.spaces)
        return asked(only_aliases=self.only_aliases, most=self.most)

    def among(self, every: Iterable[Edge]) -> list[Touch]:
        """Work it out."""
        found: list[Touch] = []
        for edge in sorted(every, key=lambda edge: edge.seq):
            key = edge.subject_key if self.end == "subject" else edge.object_key
            if key in self.keys and edge.space in self.spaces and (edge.predicate == ALIAS or not self.only_aliases):
                found.append(Touch(key, edge.seq, edge.chunk_id, edge.document_id))
        return found if self.most is None else firsts(found, self.most)


ALL = frozenset(thing.casefold() for thing in THINGS)
SOME = frozenset(thing.casefold() for thing in (THINGS[0], "杜甫", THINGS[6]))
SPACES = ("", "anna", "béla")


class GraphStoreContract(Contract):
    """Inherit it, and give `make`: a store that is told apart from others of its server by `base`."""

    registry = GRAPH_STORES

    def make(self, base: str) -> GraphStore:
        """Return a store; one that is made again for the same `base` holds what was kept."""
        message = f"{type(self).__name__} does not say which store it tests: give it a `make(self, base)`."
        raise NotImplementedError(message)

    @contextmanager
    def opened(self, base: str = "") -> Generator[GraphStore]:
        """Open a store; it is emptied in the end."""
        store = self.make(base or uuid4().hex)
        try:
            yield store
        finally:
            store.remove(store.held())
            store.close()

    def test_what_touches_an_entity_is_found_as_the_catalog_finds_it(self) -> None:
        """At both ends, of some spaces, other names alone, all of them and the first of each: to the letter."""
        every = edges()
        with self.opened() as store:
            store.add(every[:60])
            store.add(every[60:])
            for parts in product(
                (ALL, SOME, frozenset({"nothing"}), frozenset[str]()), ENDS, (("",), SPACES[:2]), (False, True), MOST
            ):
                look = Look(*parts)
                assert look.at(store) == look.among(every), look

    def test_what_is_kept_twice_is_there_once(self) -> None:
        """A write that was cut off is repeated."""
        every = edges()
        with self.opened() as store:
            store.add(every[:50])
            store.add(every)
            assert store.held() == {edge.seq: edge.subject_key for edge in every}
            look = Look(SOME, "subject", SPACES)
            assert look.at(store) == look.among(every)

    def test_what_is_removed_is_gone(self) -> None:
        """And only that; removing it again, or what was never there, is no error."""
        every = edges()
        with self.opened() as store:
            store.add(every)
            gone = {edge.seq: edge.subject_key for edge in every if edge.subject == "東京都" or edge.seq % 3 == 0}
            left = [edge for edge in every if edge.seq not in gone]
            for _ in range(2):
                store.remove({**gone, 9_999: "nobody"})
                assert store.held() == {edge.seq: edge.subject_key for edge in left}
            for end in ENDS:
                look = Look(ALL, end, SPACES)
                assert look.at(store) == look.among(left)

    def test_bases_do_not_see_each_other(self) -> None:
        """Two bases in one graph database have the same row numbers and the same things."""
        one, other = edges()[:10], [replace(edge, chunk_id="other") for edge in edges()[5:20]]
        with self.opened() as first, self.opened() as second:
            first.add(one)
            second.add(other)
            second.remove({6: "marie curie"})
            assert set(first.held()) == set(range(1, 11))
            assert set(second.held()) == set(range(7, 21))
            look = Look(ALL, "subject", SPACES)
            assert look.at(first) == look.among(one)

    def test_what_was_kept_is_there_for_who_comes_later(self) -> None:
        """A process that starts finds what another one has kept."""
        base = uuid4().hex
        with self.opened(base) as store:
            store.add(edges())
            later = self.make(base)
            assert later.held() == store.held()
            later.close()
