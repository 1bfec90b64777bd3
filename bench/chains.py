"""Sets for walking, made from the documents of other sets: questions of several hops, and pages that name each other.

No model writes them and no one chooses: what is taken is in the order of hashes, so that every machine makes the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from bench.sets import Doc, RetrievalSet, by_hash
from rove.enrich.entities import mentions
from rove.language.names import name_key
from rove.language.sentences import sentence_spans
from rove.question.wording import telling_words

RARE = 4
"""Documents that share a name, up to which it can link two of a chain."""
LEAST_KEY = 5
"""Letters of a name that links."""
TITLED = (3, 9)
"""Documents that hold a word which becomes the title of one of them."""
LONGEST_TITLE = 8


@dataclass(frozen=True, slots=True)
class Link:
    """A name that two documents share, and the sentence of the first that says it."""

    key: str
    name: str
    target: str
    sentence: str


def chained(data: RetrievalSet, hops: int, most: int = 100, *, titled: bool = True) -> RetrievalSet:
    """Make questions whose answer lies `hops` documents along a chain, all of which have to be found.

    A chain begins at a document; a sentence of it holds a name which only a few others hold (`RARE`), one of these is
    next, and so on. The question has the title of the first, and two words of every sentence that leads on and of the
    last document's last: the telling word that stands in most documents and the one that stands in fewest, names
    aside. The names that link are not in the question. `titled`: the next document is named by its title, as in most
    questions that people compose; otherwise by a name that is not its title.
    """
    docs = {doc.id: doc for doc in data.docs}
    links, common = _links(data, titled=titled), _frequencies(data)
    queries: dict[str, str] = {}
    gold: dict[str, dict[str, int]] = {}
    for first in by_hash(docs):
        chain = _chain(first, links, docs, hops)
        if not chain or not docs[first].title:
            continue
        last = docs[chain[-1].target]
        told = [link.sentence for link in chain] + [_sentences(last.text, data.language)[-1]]
        words = [word for said in told for word in _told_words(said, common, data.language)]
        name = f"{data.name}-{hops}-{first}"
        queries[name] = f"{docs[first].title}: {' '.join(dict.fromkeys(words))}?"
        gold[name] = dict.fromkeys((first, *(link.target for link in chain)), 1)
        if len(queries) == most:
            break
    return replace(data, name=f"{data.name} {hops} hops", queries=queries, gold=gold)


def entitled(data: RetrievalSet) -> RetrievalSet:
    """Give each document one word of its own as its title that some others hold too, as the entries of a FAQ have them.

    So documents name one another all the time, and no question needs more than one of them. Of each question the
    rarest telling word is left out, as people ask who do not know the page's own words.
    """
    common = _frequencies(data)
    docs = tuple(replace(doc, title=_topic(doc, common, data.language)) for doc in data.docs)
    queries = {query: _vaguely(text, common, data.query_language) for query, text in data.queries.items()}
    return replace(data, name=f"{data.name} entitled", docs=docs, queries=queries)


def _vaguely(question: str, common: Mapping[str, int], language: str) -> str:
    words = telling_words(question, language)
    rarest = min(words, key=lambda word: common.get(word.casefold(), 0), default="")
    return question.replace(rarest, "", 1) if len(words) > 1 else question


def _topic(doc: Doc, common: Mapping[str, int], language: str) -> str:
    low, high = TITLED
    words = [word for word in _words(doc.text, language) if low <= common[word] <= high]
    short = [word for word in words if 1 < len(word) <= LONGEST_TITLE or word.isascii()]
    return by_hash(short)[0] if short else ""


def _links(data: RetrievalSet, *, titled: bool) -> dict[str, list[Link]]:
    """What each document leads to by the names in its sentences, in their order."""
    holding: dict[str, dict[str, str]] = defaultdict(dict)  # key → document → the first sentence that holds it
    names: dict[str, str] = {}
    titles: dict[str, str] = {}
    for doc in data.docs:
        titles[name_key(doc.title, data.language)] = doc.id
        for said in _sentences(doc.text, data.language):
            for mention in mentions(said, data.language):
                key = name_key(mention.name, data.language)
                if mention.sure and len(key) >= LEAST_KEY:
                    holding[key].setdefault(doc.id, said)
                    names[key] = mention.name
    found: dict[str, list[Link]] = defaultdict(list)
    for key, held in holding.items():
        if len(held) > RARE:
            continue
        for source, said in held.items():
            own = titles.get(key)
            targets = [own] if titled else [other for other in held if key not in titles]
            found[source] += [Link(key, names[key], other, said) for other in targets if other and other != source]
    return found


def _chain(first: str, links: Mapping[str, Sequence[Link]], docs: Mapping[str, Doc], hops: int) -> list[Link]:
    """The first chain of that length whose names the first title does not tell; empty where there is none."""
    own = docs[first].title.casefold()
    ways = (way for way in _ways(first, links, [], hops - 1) if all(link.name.casefold() not in own for link in way))
    return next(ways, [])


def _ways(at: str, links: Mapping[str, Sequence[Link]], before: list[Link], left: int) -> Iterator[list[Link]]:
    if not left:
        yield before
        return
    seen = {link.target for link in before} | {at}
    keys = {link.key for link in before}
    for link in links.get(at, ()):
        if link.target not in seen and link.key not in keys:
            yield from _ways(link.target, links, [*before, link], left - 1)


def _told_words(said: str, common: Mapping[str, int], language: str) -> list[str]:
    """The telling words of a sentence that stand in most and in fewest documents, names aside; ties as they stand."""
    names = {word for mention in mentions(said, language) for word in _words(mention.name, language)}
    plain = [word for word in _words(said, language) if word not in names and not word.isdecimal()]
    ranked = sorted(plain, key=lambda word: -common[word])
    return [*ranked[:1], *ranked[1:][-1:]]


def _frequencies(data: RetrievalSet) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    for doc in data.docs:
        for word in _words(doc.text, data.language):
            found[word] += 1
    return found


@cache
def _words(text: str, language: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.casefold() for word in telling_words(text, language)))


@cache
def _sentences(text: str, language: str) -> tuple[str, ...]:
    return tuple(text[start:end] for start, end in sentence_spans(text, language)) or ("",)
