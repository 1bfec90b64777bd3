"""Find what a Chinese sentence says of whom, by rules, without a model and without cutting the sentence into words.

A sentence is read clause by clause. The first verb of a clause that stands in a list parts its subject from its
object. A clause is left out where either of them looks like more than a noun phrase.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rove.enrich.triplets.chinese_signs import (
    AFTER_NAME,
    AND,
    ASIDE,
    BY,
    BY_WAY,
    CLAUSEY,
    COUNTED,
    COUNTS,
    DATED,
    DENIED,
    DOUBT,
    ENDS,
    FOLD,
    HAPPENED,
    KIND,
    KINDS,
    LEAD,
    MARK,
    NO_HEAD,
    NOT_OBJECT,
    NOUN_GOES_ON,
    PART,
    STOP,
    SURNAMES,
    TAIL,
    THIS,
    TURNED,
    UNFIT,
    VERB,
)
from rove.enrich.triplets.said import MOST_CHARS, Said

MOST_SUBJECT = 20
MOST_ITEMS = 8
MOST_HEAD = 48
"""More characters than these in front of a verb are no subject with a date and a place."""
MOST_NOUN = 24
"""Characters that may follow the last 的 of an object."""


def said_in(sentence: str, about: str) -> list[Said]:
    """Return what one sentence says, in order, each once. `about`: the document's title, or "".

    >>> said_in("余杭站是沪杭客运专线上的一个车站，位于浙江省杭州市。", "余杭站")[1]
    Said(subject='余杭站', predicate='位于', object='浙江省杭州市')
    >>> said_in("明珠公司由张三创办。", "")
    [Said(subject='张三', predicate='创办', object='明珠公司')]
    """
    reader = _Reader(sentence, ASIDE.sub(_masked, sentence.translate(FOLD)), about)
    found: list[Said] = []
    for start, end in _parts(reader.text, STOP, 0, len(sentence)):
        if not DOUBT.search(reader.text, start, end + 1):
            reader.topic = about
            reader.begin = start
            for clause in _parts(reader.text, MARK, start, end):
                found += reader.clause(*clause)
    return list(dict.fromkeys(found))


def _masked(aside: re.Match[str]) -> str:
    """Hide what stands in brackets or quotation marks, so that no rule reads it; the length stays."""
    return ("\0" if aside[0][0] == "(" else "\1") * len(aside[0])


def _parts(text: str, mark: re.Pattern[str], start: int, end: int) -> Iterator[tuple[int, int]]:
    for stop in mark.finditer(text, start, end):
        if start < stop.start():
            yield start, stop.start()
        start = stop.end()
    if start < end:
        yield start, end


@dataclass(slots=True)
class _Reader:
    """A sentence as it is read: `text` is folded and masked, `topic` is what a clause without a subject speaks of."""

    sentence: str
    text: str
    about: str
    topic: str = ""
    begin: int = 0

    def clause(self, start: int, end: int) -> list[Said]:
        """Return what a clause says, and set the topic for the next one."""
        lead = LEAD.match(self.text, start, end)
        start = lead.end() if lead else start
        if happened := HAPPENED.match(self.text[start:end]) if end - start < MOST_HEAD else None:
            return self._happened(start, happened)
        verb = VERB.search(self.text, start, min(end, start + 2 * MOST_HEAD))
        head = self.text[start : verb.start()] if verb else ""
        if verb is None or len(head) > MOST_HEAD or DENIED.search(head):
            self._pass(start, end)
            return []
        if by := BY.match(head) if TURNED.fullmatch(verb[0]) else None:
            return self._passive(start, by, verb, end)
        self.topic = subject = self._subject(start, verb.start(), plain=verb.lastgroup != "deed")
        if not subject or verb[0] in ("包括", "包含", "连接") and not _shorn(head):
            return []
        return [Said(subject, self._cut(*verb.span()), thing) for thing in self._objects(verb, end) if thing != subject]

    def _pass(self, start: int, end: int) -> None:
        """Set the topic after a clause that says nothing by these rules."""
        head = self.text[start:end]
        if not head or head[0] in "在于自从随经根当为除" or head[-1] in "后时":
            return
        alone = not self.about and start == self.begin and self._is_name(start, head, plain=False)
        self.topic = self._cut(start, end) if alone else self.about if self._is_about(start, end) else ""

    def _is_about(self, start: int, end: int) -> bool:
        """Say whether a clause begins with the title, a part of it, or a pronoun for it."""
        core = _core(self.about)
        names = ["他", "她"] * _is_person(self.about) + [name for name in (core, *core.split("·")) if len(name) > 1]
        for name in names:
            if self.sentence.startswith(name, start, end):
                after = start + len(name)
                return after == end or self.text[after] not in AFTER_NAME
        return False

    def _cut(self, start: int, end: int) -> str:
        return self.sentence[start:end]

    def _happened(self, start: int, happened: re.Match[str]) -> list[Said]:
        """A date in front of a verb that needs no object: 该站于2009年12月28日启用."""
        if DENIED.search(happened["head"]):
            return []
        self.topic = self._subject(start, start + happened.end("head"), plain=False)
        date, verb = (self._cut(*(start + at for at in happened.span(name))) for name in ("date", "verb"))
        return [Said(self.topic, verb, date)] if self.topic else []

    def _passive(self, start: int, by: re.Match[str], verb: re.Match[str], end: int) -> list[Said]:
        """A passive clause turned round: who does it is the subject."""
        self.topic = thing = self._subject(start, start + by.end("head"), plain=True)
        rest = self.text[verb.end() : end].lstrip("了\0 ").rstrip("\0 后")
        if thing not in self.sentence or not thing.strip("-、 0123456789"):
            return []
        if rest and not DATED.match(rest.removeprefix("于")):
            return []
        begin = start + by.start("agent")
        agents = [self._cut(*span) for span in self._items(begin, begin + len(_shorn(by["agent"])))]
        return [
            Said(agent, self._cut(*verb.span()), thing) for agent in agents if thing != agent[:MOST_SUBJECT] == agent
        ]

    def _subject(self, start: int, end: int, *, plain: bool) -> str:
        """Return what a clause speaks about; "" if that is not sure. `plain`: any noun phrase will do."""
        head = _shorn(self.text[start:end])
        if not head:
            return self.topic
        if head in "他她":
            return self.topic if self.topic != self.about or _is_person(self.about) else ""
        if this := THIS.match(head):
            return self.about if not this["kind"] or this["kind"][-1] in KINDS + self.about.translate(FOLD) else ""
        for name in (self._cut(start, end).strip(), self._cut(start, start + len(head))):
            if len(name) > 1 and name in _core(self.about):
                return name
        return name if self._is_name(start, head, plain=plain) else ""

    def _is_name(self, start: int, head: str, *, plain: bool) -> bool:
        """Say whether a head is a noun phrase; after a comma a short one is a part of what was spoken of."""
        most = MOST_CHARS if head[0] == "\1" else MOST_SUBJECT if plain else MOST_SUBJECT // 2
        if not 1 < len(head) <= most or PART.fullmatch(head) or NO_HEAD.match(head) or NO_HEAD.match(head[-1]):
            return False
        part = start > self.begin and len(head) < 5 and head.isalpha() and not head.isascii()
        return not (part or UNFIT.search(head) or VERB.search(head))

    def _objects(self, verb: re.Match[str], end: int) -> list[str]:
        """Return the objects of a verb, the items of an enumeration apart; none if one of them is a fragment."""
        start = verb.end()
        while start < end and self.text[start] in "了过 \0":
            start += 1
        if self.text.startswith({"包括": "有", "包含": "有", "是": "个"}.get(verb[0], "\n"), start):
            start += 1
        rest = self.text[start:end].rstrip(" \0")
        if verb.lastgroup == "deed":
            rest = rest.removesuffix("后").removesuffix("之")
        rest, _, more = rest.partition("等" if "、" in rest and "等" in rest[-9:] else "\n")
        if self.text[end : end + 1] in tuple(":：—") or "的" in more or not 0 < len(rest) <= 2 * MOST_CHARS:
            return []
        if ENDS.search(rest) or NOT_OBJECT.match(rest) or verb.lastgroup != "is" and NOUN_GOES_ON.match(rest):
            return []
        whole = start, start + len(rest)
        if verb.lastgroup == "life":
            return [self._cut(*whole)] if DATED.match(rest) or _is_place(rest) else []
        if verb[0] == "为" and not self._is_named_as(verb, rest):
            return []
        if verb.lastgroup != "is" and (CLAUSEY.search(rest) or VERB.search(rest.rpartition("的")[2])):
            return []
        return [self._cut(*span) for span in self._items(*whole)]

    def _is_named_as(self, verb: re.Match[str], rest: str) -> bool:
        """Say whether 为 means "is", and not "for" or "into": of what the text is about, or with a number or a rank."""
        before = self.text[max(verb.start() - 16, 0) : verb.start()]
        sure = bool(COUNTS.match(rest)) or (len(self.topic) > 1 and self.topic in _core(self.about))
        return sure and bool(KIND.match(rest)) and "以" not in before and bool(before.strip("\0 "))

    def _items(self, start: int, end: int) -> list[tuple[int, int]]:
        """Part an enumeration, unless what follows it belongs to all of its items; empty if an item is no thing."""
        rest = self.text[start:end]
        marks = list(AND.finditer(rest))
        whole = not marks or "的" in rest[marks[0].start() :] or bool(COUNTED.search(rest[marks[-1].end() :]))
        spans = [(0, len(rest))] if whole else list(_parts(rest, AND, 0, len(rest)))[:MOST_ITEMS]
        if not all(_is_thing(rest[a:b].strip(" \0")) for a, b in spans):
            return []
        blank = [(len(rest[a:b]) - len(rest[a:b].lstrip(" \0")), len(rest[a:b].rstrip(" \0"))) for a, b in spans]
        return [(start + a + left, start + a + right) for (a, _), (left, right) in zip(spans, blank, strict=True)]


def _shorn(head: str) -> str:
    """Cut dates, places and adverbs off the end of what stands in front of a verb."""
    for _ in range(3):
        way = BY_WAY.search(head)
        if way and len(head) - way.start() > MOST_SUBJECT:
            break
        tail = TAIL.search(head[: way.start()] if way else head)
        cut = tail.start() if tail else way.start() if way else len(head)
        if cut == len(head):
            break
        head = head[:cut]
    return head


def _is_place(rest: str) -> bool:
    return "的" not in rest and _is_thing(rest) and not (CLAUSEY.search(rest) or VERB.search(rest))


def _is_thing(item: str) -> bool:
    """Say whether an object is a noun phrase and whole."""
    noun = item.rpartition("的")[2]
    fits = 1 < len(item) <= MOST_CHARS and 0 < len(noun.strip("\1\0")) <= MOST_NOUN and not UNFIT.search(noun)
    return fits or set(item) == {"\1"}


def _is_person(title: str) -> bool:
    return "·" in title or (1 < len(title) < 4 and title[0] in SURNAMES)


def _core(title: str) -> str:
    """Return a title without the brackets that tell it from another."""
    return title.partition(" (")[0].partition("（")[0].replace("_", " ")
