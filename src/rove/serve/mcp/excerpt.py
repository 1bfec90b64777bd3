"""Excerpts: the words of a passage that tell most of a question, within so many bytes."""

from __future__ import annotations

from rove.language.sentences import sentence_spans
from rove.language.words import query_terms, terms

MORE = "…"


def excerpt(text: str, language: str, question: str, most_bytes: int) -> str:
    """Return the whole text on one line if it fits, else its sentences about the one with most words of the question.

    Ties: the earlier sentence. Its neighbours come with it as long as they fit, those that follow first. One that does
    not fit itself is cut. What was left out is a "…".

    >>> text = "The canteen is open. Remote work is approved by the head of unit. Ask the office."
    >>> excerpt(text, "en", "Who approves remote work?", 60)
    '… Remote work is approved by the head of unit. …'
    >>> excerpt(text, "en", "Who approves remote work?", 30)
    '… Remote work is …'
    """
    whole = _to_one_line(text)
    if _utf8_size(whole) <= most_bytes:
        return whole
    spans = sentence_spans(text, language)
    asked = set(query_terms(question, language))
    held = [len(asked.intersection(terms(text[start:end], language))) for start, end in spans]
    first = last = held.index(max(held))
    best, room = _to_one_line(text[slice(*spans[first])]), most_bytes - 2 * _utf8_size(f"{MORE} ")
    if _utf8_size(best) > room:
        return f"{MORE if first else ''} {cut_bytes(best, room)} {MORE}".strip()
    while True:
        shown = _to_one_line(text[spans[first][0] : spans[last][1]])
        for begin, end in ((first, last + 1), (first - 1, last)):
            if (
                begin >= 0
                and end < len(spans)
                and _utf8_size(_to_one_line(text[spans[begin][0] : spans[end][1]])) <= room
            ):
                first, last = begin, end
                break
        else:
            before, after = MORE if first else "", MORE if last + 1 < len(spans) else ""
            return f"{before} {shown} {after}".strip()


def cut_bytes(text: str, most_bytes: int) -> str:
    """Cut a text after a word, or, where there is none, a letter, so that it has at most so many bytes.

    >>> cut_bytes("one two three", 9), cut_bytes("東京タワー", 7), cut_bytes("one", 9)
    ('one two', '東京', 'one')
    """
    if _utf8_size(text) <= most_bytes:
        return text
    kept = text.encode()[: max(most_bytes, 0)].decode(errors="ignore")
    words = kept.rpartition(" ")[0]
    return words if 2 * len(words) > len(kept) else kept


def _to_one_line(text: str) -> str:
    return " ".join(text.split())


def _utf8_size(text: str) -> int:
    return len(text.encode())
