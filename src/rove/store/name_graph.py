"""The graph of names: which documents a text names by their titles, and which hold a name that it holds too."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from rove.language.names import JOINT, telling_terms
from rove.records import Filter
from rove.store.resident import Resident

PART = 0.5
MAX_NAMESAKES = 8
"""Documents of one title up to which it still points somewhere."""


@dataclass(frozen=True, slots=True)
class NamingText:
    """A text that may name documents, and the keys of the names in it."""

    text: str
    language: str
    names: Sequence[str] = ()


class NameGraph:
    """Looks names up in the resident index, where they are kept beside the terms. Calls block.

    A node is a chunk, a name or a document; a chunk is linked to the names that it holds, a name to the documents that
    are titled by it. There are no relations: after LinearRAG (Zhuang et al., 2025), which needs no model for its graph.
    """

    def __init__(self, resident: Resident) -> None:
        self._resident = resident

    def titled(self, texts: Sequence[NamingText], access_filter: Filter | None = None) -> list[dict[str, float]]:
        """Return of each text the documents whose titles it names, by id, each with how surely it is meant, up to 1.

        Of titles within titles the longest counts. A title of one word counts only where it is among the text's
        `names`: love is no link to the film Love. A name of which the title is a part (Sulli Choi is Sulli, Paul
        Michael Gross is Paul Gross) is a link of half the strength. Documents of one title share it; one that more
        than `MAX_NAMESAKES` have points nowhere. `access_filter`: no title or document counts that it hides.
        """
        terms = [telling_terms(text.text, text.language) for text in texts]
        names = {key for text in texts for name in text.names for key in (name, *_name_key_parts(name))}
        titles = self._resident.look(lambda index: index.titles(terms, names, MAX_NAMESAKES + 1, access_filter))
        sizes: dict[str, set[int]] = {}
        for key in titles:
            sizes.setdefault(key.partition(JOINT)[0], set()).add(key.count(JOINT) + 1)
        longest = {first: sorted(some, reverse=True) for first, some in sizes.items()}
        return [
            _match_named_documents(own, set(text.names), titles, longest)
            for own, text in zip(terms, texts, strict=True)
        ]

    def sharing(
        self, each: Sequence[Collection[str]], most: int, access_filter: Filter | None = None
    ) -> list[dict[str, float]]:
        """Return for each group of names the documents that hold any, by id: 1 / the number that hold its rarest.

        A name that stands in more than `most` chunks links nothing. `access_filter`: what it hides neither counts nor
        is returned.
        """
        every = set[str]().union(*each)
        documents = self._resident.look(lambda index: index.holding(every, most, access_filter))
        shared: list[dict[str, float]] = []
        for names in each:
            found: dict[str, float] = {}
            for held in (documents[name] for name in names if name in documents):
                for document_id in held:
                    found[document_id] = max(found.get(document_id, 0.0), 1 / len(held))
            shared.append(found)
        return shared


def _match_named_documents(
    terms: Sequence[str],
    names: Collection[str],
    titles: Mapping[str, Sequence[str]],
    longest: Mapping[str, Sequence[int]],
) -> dict[str, float]:
    """The documents that a text names, each with how surely.

    `titles`: the documents of each; `longest`: by a first term, how many the titles that begin with it have.
    """
    keys: dict[str, float] = {}
    at = 0
    while at < len(terms):
        possible = (size for size in longest.get(terms[at], ()) if at + size <= len(terms))
        size = next((size for size in possible if JOINT.join(terms[at : at + size]) in titles), 0)
        key = JOINT.join(terms[at : at + size])
        if size > 1 or (size == 1 and key in names):
            keys[key] = 1.0
        at += max(size, 1)
    for part in (part for name in sorted(set(names).difference(keys)) for part in _name_key_parts(name)):
        if part in titles:
            keys.setdefault(part, PART)
    found: dict[str, float] = {}
    for key, sure in keys.items():
        for document_id in titles[key] if len(titles[key]) <= MAX_NAMESAKES else ():
            found[document_id] = max(found.get(document_id, 0.0), sure / len(titles[key]))
    return found


def _name_key_parts(key: str) -> list[str]:
    terms = key.split(JOINT)
    if len(terms) < 2:
        return []
    return [terms[0], terms[-1], *([f"{terms[0]}{JOINT}{terms[-1]}"] if len(terms) > 2 else [])]
