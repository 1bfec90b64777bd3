"""What came of a turn, as a conversation keeps it; and what is left of it without certain documents."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import msgspec

from rove.answer.chitchat import CHITCHAT
from rove.answer.cite import marks
from rove.conversation.respond import CLARIFYING
from rove.records import Answer, Citation, Hit, Understood
from rove.records.answer import with_new_verdicts
from rove.records.sql import SqlReply

EXTRACTIVE, REFUSED = "extractive", "refused"
BY_RULES = frozenset({EXTRACTIVE, REFUSED, CHITCHAT})
"""Modes of answers in which nothing stands that a chat model wrote, or a question back that names documents."""


@dataclass(frozen=True, slots=True)
class KeptReply:
    """What came of a turn.

    `hits`: what a search found. `sql`: what a database said, or tables in documents. `standalone`: the question so that
    it can be understood alone, "" where it could be anyway. `problem`: what went wrong, in JSON. `loose`: it can name
    documents without saying which, as a question back does that offers titles, and a list of themes. `withheld`:
    something of it was taken away. `mode`, `top_k`: how a search was asked for.
    """

    answer: Answer | None = None
    hits: tuple[Hit, ...] | None = None
    sql: SqlReply | None = None
    walk_id: str = ""
    standalone: str = ""
    problem: str = ""
    loose: bool = False
    withheld: bool = False
    mode: str = ""
    top_k: int | None = None


_reader = msgspec.json.Decoder(KeptReply)


def to_text(reply: KeptReply) -> str:
    """Write a reply as JSON."""
    return msgspec.json.encode(reply, enc_hook=_encode_mapping).decode()


def from_text(text: str) -> KeptReply:
    """Read a reply back: an empty one of ""; of what cannot be read nothing is left.

    >>> from_text(to_text(KeptReply(walk_id="ab"))).walk_id, from_text("").withheld, from_text("{").withheld
    ('ab', False, True)
    """
    if not text:
        return KeptReply()
    try:
        return _reader.decode(with_new_verdicts(text))
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
        return KeptReply(withheld=True)


def reply_of(answer: Answer, understood: Understood | None) -> KeptReply:
    """Return what a conversation keeps of an answer."""
    standalone = understood.standalone if understood and understood.standalone != answer.question else ""
    loose = answer.mode == CLARIFYING or any(hit.theme for hit in answer.hits)
    return KeptReply(answer, standalone=standalone, loose=loose)


def without_loose(reply: KeptReply) -> KeptReply:
    """Return a reply without what may name documents that it does not say."""
    return replace(reply, answer=None, hits=None, standalone="", loose=False, withheld=True) if reply.loose else reply


def without_database(reply: KeptReply) -> KeptReply:
    """Return a reply without the rows of a database, of which access labels say nothing."""
    if reply.sql is None or reply.sql.document_ids:
        return reply
    return replace(reply, sql=None, withheld=True)


def documents_of(reply: KeptReply) -> set[str]:
    """The ids of the documents that a reply rests on, or shows."""
    read = reply.sql.document_ids if reply.sql else ()
    related = (one.document_id for one in reply.answer.related) if reply.answer else ()
    return {*(_in_answer(reply.answer) if reply.answer else ()), *_in_hits(reply.hits or ()), *read, *related}


def left_of(replies: Sequence[KeptReply], gone: Collection[str], walks: Collection[str] = ()) -> list[KeptReply]:
    """Return the replies of a conversation without a word of these documents.

    Sentences and hits of theirs go. Of what a chat model wrote, which may hold anything that it was shown, an answer
    that was shown one goes whole; so do the ones after it, and how later questions were written out. `walks`: ids of
    those that rest on these documents.
    """
    found: list[KeptReply] = []
    touched = False
    for reply in replies:
        left = _reply_without_documents(reply, gone)
        if touched and (left.standalone or _has_model_words(left.answer)):
            left = _without_models(left)
        touched = touched or left.withheld or reply.walk_id in walks
        found.append(left)
    return found


def _reply_without_documents(reply: KeptReply, gone: Collection[str]) -> KeptReply:
    if reply.answer:
        related = tuple(one for one in reply.answer.related if one.document_id not in gone)
        reply = replace(reply, answer=replace(reply.answer, related=related))
    if documents_of(reply).isdisjoint(gone):
        return reply
    answer = _answer_left(reply.answer, gone) if reply.answer else None
    hits = None if reply.hits is None else tuple(_hits_left(reply.hits, gone))
    sql = reply.sql if reply.sql and set(reply.sql.document_ids).isdisjoint(gone) else None
    return replace(reply, answer=answer, hits=hits, sql=sql, standalone="", withheld=True)


def _without_models(reply: KeptReply) -> KeptReply:
    if _has_model_words(reply.answer):
        return replace(reply, answer=None, standalone="", withheld=True)
    return replace(reply, standalone="")


def _has_model_words(answer: Answer | None) -> bool:
    """Say whether words of a chat model are in an answer, or told beside it."""
    return answer is not None and bool(
        answer.mode not in BY_RULES or answer.thoughts or not all(one.kept for one in answer.sentences)
    )


def _answer_left(answer: Answer, gone: Collection[str]) -> Answer | None:
    """Return an answer without what rests on these documents; None where nothing is left of it."""
    if not set(_in_answer(answer)) & set(gone):
        return answer
    hits = tuple(_hits_left(answer.hits, gone))
    if answer.mode == REFUSED:
        return replace(answer, hits=hits, notes=(), note="", thoughts="")
    if answer.mode != EXTRACTIVE:
        return None
    kept = [number for number, hit in enumerate(answer.hits, 1) if hit.chunk.document_id not in gone]
    numbers = {old: new for new, old in enumerate(kept, 1)}

    def renumbered(citation: Citation) -> Citation:
        return replace(citation, number=numbers.get(citation.number, citation.number))

    sentences = tuple(
        replace(sentence, citations=tuple(map(renumbered, sentence.citations)))
        for sentence in answer.sentences
        if sentence.kept and all(citation.document_id not in gone for citation in sentence.citations)
    )
    if not sentences:
        return None
    text = "\n\n".join(f"{one.text} {marks([c.number for c in one.citations])}".rstrip() for one in sentences)
    short = answer.short if answer.short and answer.short.document_id not in gone else None
    return replace(
        answer,
        text=text,
        sentences=sentences,
        hits=hits,
        notes=(),
        note="",
        conflicts=(),
        path=(),
        short=renumbered(short) if short else None,
        thoughts="",
    )


def _hits_left(hits: Sequence[Hit], gone: Collection[str]) -> Iterator[Hit]:
    for hit in hits:
        if hit.chunk.document_id not in gone:
            same, beside = (tuple(_hits_left(others, gone)) for others in (hit.same, hit.beside))
            yield replace(hit, same=same, beside=beside)


def _in_hits(hits: Sequence[Hit]) -> Iterator[str]:
    for hit in hits:
        yield hit.chunk.document_id
        yield from _in_hits((*hit.same, *hit.beside))


def _in_answer(answer: Answer) -> Iterator[str]:
    yield from _in_hits(answer.hits)
    sides = (side.citation for conflict in answer.conflicts for side in conflict.sides)
    steps = (step.citation for step in answer.path)
    for citation in (*answer.citations, answer.short, *sides, *steps):
        if citation:
            yield citation.document_id


def _encode_mapping(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, object]", value))
    message = f"{type(value).__name__} is no part of a reply"
    raise TypeError(message)
