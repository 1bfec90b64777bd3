"""What an answer says where it rests on the text of a file that is gone, or can no longer be read."""

from __future__ import annotations

from dataclasses import replace

from rove.records import Answer

ONE = "Source {number} is as it was on {day}: its file is gone, or can no longer be read."


def with_days(answer: Answer) -> Answer:
    """Return an answer that says in its note which of its sources are of an earlier day."""
    days = {citation.number: citation.as_of for citation in answer.citations if citation.as_of}
    if not days:
        return answer
    said = [ONE.format(number=number, day=day) for number, day in sorted(days.items())]
    return replace(answer, note=" ".join(filter(None, (answer.note, *said))))
