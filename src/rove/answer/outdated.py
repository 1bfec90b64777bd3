"""What an answer says where it rests on the text of a file that is gone, or can no longer be read."""

from __future__ import annotations

from dataclasses import replace

from rove.records import Answer, Note


def with_days(answer: Answer) -> Answer:
    """Return an answer that says in its note which of its sources are of an earlier day."""
    days = {citation.number: citation.as_of for citation in answer.citations if citation.as_of}
    said = [Note("stale-source", {"number": number, "day": day}) for number, day in sorted(days.items())]
    return replace(answer, notes=(*answer.notes, *said))
