"""What a base is about: communities of passages by meaning, for questions that no single passage answers.

Each passage is linked to those nearest to it, and the graph is cut by Leiden (Traag, Waltman and van Eck 2019), as
graph-based retrieval does with its entities (Edge et al. 2024); by vectors it works alike in every language, without a
chat model. No theme is kept: it is worked out of what the caller may see, and so is never out of date.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rove.models import Vectors
from rove.records import Filter, Hit, Place
from rove.records.reviewed import ReviewItem, latest_decisions, review_id, thing_of_review
from rove.records.theme import Theme
from rove.registry import load
from rove.retrieve import Query, SearchContext
from rove.retrieve.theme_label import theme_labels
from rove.store.live_chunks import Found
from rove.store.review_log import read_decisions
from rove.store.store import Store

MOST_CHUNKS = 5_000
"""Passages that are looked at; of a larger base those whose ids hash lowest, which is a fair sample."""
NEIGHBOURS = 8
LEAST_COSINE = 0.15
"""Above the base's mean: what is less alike is not linked."""
RESOLUTION, RANDOMNESS, SEED = 1.0, 0.001, 1
LEAST_CHUNKS = 3
"""Passages of a theme, at least, where any has so many."""
PASSAGES = 3
BLOCK = 1_024


class ThemesRetriever:
    """See `Retriever`. Whatever is asked, a passage in the midst of each theme, the largest theme first.

    A hit's `theme` is its label; its score the theme's share of the base.
    """

    def __init__(self, search_context: SearchContext) -> None:
        self.search_context = search_context

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`."""
        themes = await themes_of(self.search_context.store, query.where, query.top_k)
        return [
            replace(
                theme.hits[0],
                score=theme.share,
                sources={"themes": Place(rank, theme.share)},
                theme=theme.name,
                beside=theme.hits[1:],
            )
            for rank, theme in enumerate(themes, start=1)
        ]


async def themes_of(store: Store, where: Filter | None, most: int) -> list[Theme]:
    """Return the themes of what a filter lets through, the largest first, at most so many; as reviewed.

    One that a reviewer has rejected is left out, and one whose name was edited has that name, where the filter lets the
    document through that it was decided in.
    """
    found = await found_themes(store, where, most)
    return await asyncio.to_thread(_apply_theme_reviews, store, found, where)


async def found_themes(store: Store, where: Filter | None, most: int) -> list[Theme]:
    """Return the themes as they are found, whatever reviewers said of them. See `themes_of`."""
    async with store.of_one_embedder():
        return await _find_themes_in_store(store, where, most)


def theme_item(theme: Theme) -> ReviewItem:
    """Return a theme as a thing to be reviewed. How sure it is: how near its passages are to its middle."""
    hit = theme.hits[0]
    document_id = hit.chunk.document_id
    return ReviewItem(
        review_id("theme", document_id, theme.label, ""), "theme", document_id, hit.title, hit.uri, (theme.name,),
        hit.chunk.text, hit.chunk.span, hit.chunk.language, "", fmean(one.score for one in theme.hits),
    )  # fmt: skip


def _apply_theme_reviews(store: Store, themes: Sequence[Theme], where: Filter | None) -> list[Theme]:
    with store.catalog.database.read() as connection:
        made = read_decisions(connection, kind="theme")
    if made and where is not None:
        seen = set(store.documents.passing(sorted({one.document_id for one in made}), where).values())
        made = [one for one in made if one.document_id in seen]
    decisions = latest_decisions(made)
    reviewed: list[Theme] = []
    for theme in themes:
        decision = decisions.get(thing_of_review(theme_item(theme).item_id)) if decisions else None
        if decision is None or decision.verdict == "accept":
            reviewed.append(theme)
        elif decision.edit:
            reviewed.append(replace(theme, label=decision.edit))
    return reviewed


async def _find_themes_in_store(store: Store, where: Filter | None, most: int) -> list[Theme]:
    every = await asyncio.to_thread(store.documents.chunk_ids, where)
    found = await store.find(sorted(every, key=_hash)[:MOST_CHUNKS])
    if not found:
        return []
    ids = sorted(found)
    vectors = await store.chunk_vectors(ids)
    deep = np.flatnonzero(vectors.any(axis=1))
    if store.shallow and len(deep):  # the embedder has not reached the others yet
        ids, vectors = [ids[at] for at in deep.tolist()], vectors[deep]
    return await asyncio.to_thread(_themes, ids, vectors, found, most)


def _themes(ids: Sequence[str], vectors: Vectors, found: Mapping[str, Found], most: int) -> list[Theme]:
    unit = _centre_and_normalise(vectors)
    groups = sorted(communities(unit), key=lambda group: (-len(group), ids[group[0]]))
    least = min(LEAST_CHUNKS, len(groups[0]))
    themes: list[Theme] = []
    kept = [group for group in groups if len(group) >= least][:most]
    ordered = [_most_central_first(group, unit, ids) for group in kept]
    labels = theme_labels([[found[ids[place]] for place, _ in group] for group in ordered])
    for group, label in zip(ordered, labels, strict=True):
        central = [(found[ids[place]], cosine) for place, cosine in group[:PASSAGES]]
        hits = tuple(Hit(one.chunk, cosine, {}, one.uri, one.title) for one, cosine in central)
        themes.append(Theme(label, len(group) / len(ids), hits))
    return themes


def _most_central_first(group: Sequence[int], unit: Vectors, ids: Sequence[str]) -> list[tuple[int, float]]:
    """Return the places of a theme's passages, each with its cosine to their middle."""
    middle = unit[group].sum(axis=0)
    cosines = (unit[group] @ (middle / max(float(np.linalg.norm(middle)), 1e-9))).tolist()
    return sorted(zip(group, cosines, strict=True), key=lambda one: (-one[1], ids[one[0]]))


def communities(unit: Vectors) -> list[list[int]]:
    """Cut vectors into communities; each is the places of its members, in order. All are in one where none are alike.

    Args:
        unit: (n, dimension) float32, of length 1, their mean taken away before.
    """
    edges = list(_edges(unit))
    if not edges:
        return [list(range(len(unit)))]
    leiden: Any = load("graspologic_native:leiden")
    _, of = leiden(
        edges=edges,
        resolution=RESOLUTION,
        randomness=RANDOMNESS,
        iterations=2,
        use_modularity=True,
        seed=SEED,
        trials=1,
    )
    groups: dict[int, list[int]] = {}
    for place in range(len(unit)):
        if (community := of.get(str(place))) is not None:
            groups.setdefault(community, []).append(place)
    return list(groups.values())


def _edges(unit: Vectors) -> Iterator[tuple[str, str, float]]:
    """Yield each pair of which one is among the other's nearest once, in order."""
    linked: dict[tuple[int, int], float] = {}
    count = min(NEIGHBOURS, len(unit) - 1)
    for first in range(0, len(unit), BLOCK) if count > 0 else ():
        cosines = unit[first : first + BLOCK] @ unit.T
        rows = np.arange(len(cosines))
        cosines[rows, first + rows] = -1.0
        nearest = np.argpartition(-cosines, count - 1, axis=1)[:, :count]
        for row, places in enumerate(nearest.tolist()):
            for place in places:
                if cosines[row, place] >= LEAST_COSINE:
                    one, other = sorted((first + row, place))
                    linked[one, other] = float(cosines[row, place])
    for (one, other), weight in sorted(linked.items()):
        yield str(one), str(other), weight


def _centre_and_normalise(vectors: Vectors) -> Vectors:
    """Take the mean away, which all texts share, and bring the rest to length 1."""
    rest: NDArray[np.float32] = vectors - vectors.mean(axis=0) if len(vectors) > 1 else vectors
    return rest / np.maximum(np.linalg.norm(rest, axis=1, keepdims=True), 1e-9)


def _hash(chunk_id: str) -> bytes:
    return blake2b(chunk_id.encode(), digest_size=8).digest()
