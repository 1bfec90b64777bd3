"""Find what a Japanese sentence says of whom, by its particles, without a model and without cutting it into words.

The topic before は is the subject. The rest is looked through for verbs with what stands before them, and for what the
sentence ends with. A noun phrase is read backwards from its particle.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rove.enrich.triplets.japanese_signs import (
    ASIDE,
    ATTRIBUTE,
    BAD_HEAD,
    BY_AGENT,
    DATED,
    DOUBT,
    FROM,
    IS,
    LEAD,
    NOMINAL,
    NOUN,
    OTHER_NAME,
    OTHER_SUBJECT,
    PARTICLE,
    PERSONAL,
    PLACED,
    POINTING,
    RELATIVE,
    TAKES,
    THESE,
    TOPIC,
    UNBALANCED,
    UNFIT_END,
    VAGUE,
    VERBAL,
)
from rove.enrich.triplets.said import Said

MOST_SUBJECT, MOST_OBJECT, MOST_ITEMS = 30, 60, 8
LEAST_HEAD = 3
"""Letters that a noun must have of which a describing clause was cut off: "非常に鋭い発音" is no thing."""


def said_in(sentence: str, about: str) -> list[Said]:
    """Return what one sentence says, in order, each once. `about`: the document's title, or "".

    >>> said_in("黒澤明（くろさわ あきら）は、日本の映画監督である。", "")
    [Said(subject='黒澤明', predicate='である', object='日本の映画監督')]
    >>> said_in("同社は1946年に設立された。", "ソニー")[0]
    Said(subject='ソニー', predicate='設立された', object='1946年')
    """
    text = ASIDE.sub(lambda aside: "\0" * len(aside[0]), sentence)
    if DOUBT.search(text):
        return []
    subject, start = _subject(sentence, text, about)
    if not subject:
        return []
    found = [one for one in _said(sentence, text, subject, start) if one.object not in subject]
    if ATTRIBUTE.match(subject):
        found = [Said(about, subject, one.object) for one in found if about and NOMINAL.match(one.predicate)]
    return list(dict.fromkeys(found))


def _subject(sentence: str, text: str, about: str) -> tuple[str, int]:
    """Return what a sentence speaks of, "" if that is not sure, and where it goes on."""
    lead = LEAD.match(text)
    begin = lead.end() if lead else 0
    topic = TOPIC.search(text, begin, begin + 3 * MOST_SUBJECT)
    if topic is None:
        return (about, 0) if begin and DATED.match(text) else ("", 0)
    head = text[begin : topic.start()].strip("\0 、「」『』")
    if THESE.match(head):
        sure = not PERSONAL.match(head) or _is_person(about)
        return (about if sure else ""), topic.end()
    start = text.find(head, begin)
    if head in re.split("[・ 　=＝]", about):
        return about, topic.end()
    return (sentence[start : start + len(head)] if _is_subject(head) else ""), topic.end()


def _is_subject(head: str) -> bool:
    """Say whether a topic is one noun phrase, and known from this sentence alone."""
    clause = RELATIVE.search(head) or any(particle in head for particle in "をがにへで、")
    fits = _is_thing(head) and len(head) <= MOST_SUBJECT and not UNBALANCED.search(head)
    return fits and not (clause or BAD_HEAD.match(head) or POINTING.match(head))


def _said(sentence: str, text: str, subject: str, start: int) -> Iterator[Said]:
    for match in DATED.finditer(text, start):
        if "が" not in text[start : match.start()]:
            yield Said(subject, _verb(match), match["date"])
    for pattern in (TAKES, PLACED, FROM):
        for match in pattern.finditer(text, start):
            phrase, begin = _phrase(sentence, text, match.start(), start)
            if phrase and not OTHER_SUBJECT.search(text, start, begin):
                yield Said(subject, _verb(match), phrase)
    for match in BY_AGENT.finditer(text, start):
        agent, begin = _phrase(sentence, text, match.start(), start)
        if agent and subject in sentence and not OTHER_SUBJECT.search(text, start, begin):
            yield Said(agent, _verb(match), subject)
    for match in OTHER_NAME.finditer(text, start):
        yield Said(subject, match["verb"], match["name"])
    yield from _is_what(sentence, text, subject, start)


def _verb(match: re.Match[str]) -> str:
    return match["verb"].rstrip("、。")


def _is_what(sentence: str, text: str, subject: str, start: int) -> Iterator[Said]:
    """What the sentence ends with, where that is a noun: "…は、日本の映画監督である。"."""
    last = IS.search(text)
    if last is None or (not last["verb"] and not text.endswith("。")):
        return
    end = last.start()
    predicate = last["verb"].rstrip("、") if last["verb"] else "は"
    if start >= end or not NOUN.match(text[end - 1]) or (not last["verb"] and _verbal_end(text, end)):
        return
    if OTHER_SUBJECT.search(text, start, end):
        return
    for phrase in _before(sentence, text, end, start):
        yield Said(subject, predicate, phrase)


def _verbal_end(text: str, end: int) -> bool:
    """Say whether a sentence that ends with a noun ends with what was done: "…を受賞。"."""
    return bool(
        re.search(
            (
                rf"(?:{VERBAL}|就任|死去|加入|移籍|出演|引退|誕生|入学|入社|開始|終了|参加|優勝|出場|開業|廃止|解散"
                rf"|完成)\Z"
            ),
            text[:end],
        )
    )


def _before(sentence: str, text: str, end: int, start: int) -> list[str]:
    """What a sentence ends with: a noun phrase, or the items of a list (A、B、C); none if they belong to a verb."""
    phrases: list[str] = []
    begin = end
    while len(phrases) < MOST_ITEMS:
        phrase, begin = _phrase(sentence, text, end, start)
        if not phrase or (phrases and "の" in phrases[-1]):
            return []
        phrases.insert(0, phrase)
        if text[begin - 1 : begin] != "、" or begin - 2 <= start or not NOUN.match(text[begin - 2]):
            break
        end = begin - 1
    return [] if text[begin - 1 : begin] in tuple("をがへもに") else phrases


def _phrase(sentence: str, text: str, end: int, start: int) -> tuple[str, int]:
    """Read a noun phrase backwards from where it ends; returns it, "" where there is none, and where it begins."""
    while end > start and text[end - 1] == "\0":
        end -= 1
    if end > start and text[end - 1] in "」』":
        opening = max(text.rfind("「", start, end), text.rfind("『", start, end))
        return (sentence[opening + 1 : end - 1], opening) if opening >= start else ("", end)
    begin = end
    while begin > start and end - begin < MOST_OBJECT and (text[begin - 1] not in PARTICLE or _inner(text, begin - 1)):
        begin -= 1
    first = begin
    for relative in RELATIVE.finditer(text, begin, end):
        begin = relative.end()
    if begin > first and end - begin < LEAST_HEAD:
        return "", begin
    found = sentence[begin:end]
    whole = _is_thing(found) and not BAD_HEAD.match(found) and end - begin < MOST_OBJECT
    return (found, begin) if whole else ("", begin)


def _inner(text: str, at: int) -> bool:
    """Say whether a sign belongs to a name: a dot between katakana."""
    return text[at] == "・" and 0 < at < len(text) - 1 and all("ァ" <= text[n] <= "ー" for n in (at - 1, at + 1))


def _is_thing(text: str) -> bool:
    return len(text) > 1 and NOUN.search(text) is not None and not VAGUE.match(text) and not UNFIT_END.search(text)


def _is_person(title: str) -> bool:
    return "・" in title or 1 < len(title) < 6
