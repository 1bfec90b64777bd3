"""What users have said of answers, for the lab: rankings to be judged, and the labels that thumbs stand for.

Nothing is kept twice: it is read from the conversations, so that it goes when a thumb is taken back, a conversation is
deleted or a document is erased.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from rove.conversation.kept_turns import KeptReply, from_text
from rove.evaluate.labels import RELEVANT, Vote
from rove.evaluate.log import beside
from rove.evaluate.runs import Ranked, read_labels
from rove.records import content_hash
from rove.store.conversation_log import KeptTurn
from rove.store.files import write_whole

UP = "up"
THUMB = "thumb:"
"""How the names of annotators begin who have said it in a conversation."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """Questions with the documents that were found for them, and labels: of what an answer cited that was liked.

    A question whose answer was not liked has no labels by that: which passage misled nobody has said.
    """

    rankings: list[Ranked]
    votes: list[Vote]


def feedback_of(judged: Iterable[tuple[str, KeptTurn]]) -> Feedback:
    """Make rankings and labels of what users have said of answers. See `AsyncRove.judged_turns`."""
    rankings: dict[str, Ranked] = {}
    votes: list[Vote] = []
    for owner, turn in judged:
        reply = from_text(turn.reply)
        if reply.sql:  # rows are no ranking of documents
            continue
        question = reply.standalone or turn.question
        question_id = content_hash(question)[:16]
        known = rankings[question_id].documents if question_id in rankings else ()
        found = tuple(dict.fromkeys([*known, *_reply_hit_document_ids(reply)]))
        rankings[question_id] = Ranked(question_id, question, found)
        votes += [Vote(f"{THUMB}{owner}", question_id, name, RELEVANT) for name in _thumbs_up_document_ids(turn, reply)]
    return Feedback(list(rankings.values()), votes)


def write_feedback(found: Feedback, path: Path) -> None:
    """Write a run of the questions, and its labels beside it, for `rove questions judge` and `agree`.

    Written again, the labels that annotators have given to this run meanwhile stay.

    Raises:
        InputError: the labels that are there are malformed.
        OSError: it cannot be written.
    """
    given = [vote for vote in read_labels(path) if not vote.annotator.startswith(THUMB)]
    write_whole(path, _feedback_json_lines(map(asdict, found.rankings)))
    write_whole(beside(path, "labels"), _feedback_json_lines(map(asdict, (*found.votes, *given))))


def _thumbs_up_document_ids(turn: KeptTurn, reply: KeptReply) -> list[str]:
    """The documents that an answer cites, where it was liked; of a search, which has no answer, none."""
    if turn.judgement != UP or reply.answer is None:
        return []
    return list(dict.fromkeys(citation.document_id for citation in reply.answer.citations))


def _reply_hit_document_ids(reply: KeptReply) -> list[str]:
    hits = [*(reply.answer.hits if reply.answer else ()), *(reply.hits or ())]
    return list(dict.fromkeys(hit.chunk.document_id for hit in hits))


def _feedback_json_lines(rows: Iterable[object]) -> list[bytes]:
    return [json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows]
