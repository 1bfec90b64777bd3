"""A document as a tree to be summed up from the leaves: sections by their headings, long text in parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import regex

from rove.language.sentences import sentence_spans
from rove.records import Document
from rove.records.document import Span

PART_CHARS = 6_000
"""The text of a section, without those below it, is summed up in parts of so many characters, cut between sentences."""
PROSE = "text"
LEAST_WHOLE = 0.2
"""Share of a document's characters in whole sentences from which on nothing else is taken for one."""
_ENDS = regex.compile(r"[.!…。！।։]\W*$")


@dataclass(slots=True)
class Branch:
    """A section, a part of one, or the document: `own` are the sentences of its text that no branch below it holds."""

    span: Span
    headings: tuple[str, ...] = ()
    own: list[Span] = field(default_factory=list[Span])
    below: list[Branch] = field(default_factory=list["Branch"])

    def upwards(self) -> Iterator[Branch]:
        """Yield the branches below, each after those that it holds, then this one."""
        for branch in self.below:
            yield from branch.upwards()
        yield self

    def downwards(self) -> Iterator[Branch]:
        """Yield this branch, then those below, in the order of the text."""
        yield self
        for branch in self.below:
            yield from branch.downwards()


def tree_of(document: Document, language: str) -> Branch:
    """Return a document as a tree: whole sentences at their innermost section; headings, tables and code are left out.

    Where there is little or nothing else, labels and lines are taken, or tables and code.
    """
    root = Branch((0, len(document.text)))
    sections = _section_branches(document, root)
    bare = list(_tree_sentences(document, language, bare=True))
    for sentence in _statement_spans(document.text, bare) or bare or _tree_sentences(document, language, bare=False):
        _innermost_branch(sections, root, sentence).own.append(sentence)
    for branch in list(root.downwards()):
        while len(branch.below) == 1 and not branch.own:  # all of it stands below one heading: a title
            branch.own, branch.below = branch.below[0].own, branch.below[0].below
        _split_long_branch(branch)
    return root


def _section_branches(document: Document, root: Branch) -> list[Branch]:
    """Hang the sections of a document below one another; returns them in the order of the text."""
    found: list[Branch] = []
    open_: list[tuple[int, Branch]] = [(0, root)]
    for section in sorted(document.sections, key=lambda section: (section.span[0], section.level)):
        while len(open_) > 1 and (
            open_[-1][0] >= section.level or section.span[0] >= open_[-1][1].span[1]
        ):  # it stands beside, not below
            open_.pop()
        above = open_[-1][1]
        end = min(section.span[1], above.span[1])
        branch = Branch((section.span[0], end), (*above.headings, section.title))
        above.below.append(branch)
        open_.append((section.level, branch))
        found.append(branch)
    return found


def _tree_sentences(document: Document, language: str, *, bare: bool) -> Iterator[Span]:
    """Yield the sentences of a document; `bare`: without headings, and what stands in tables, code and the like."""
    left_out = [block.span for block in document.blocks if block.kind != PROSE] if bare else []
    titles = {section.title.strip() for section in document.sections}
    for start, end in sentence_spans(document.text, language):
        words = document.text[start:end]
        if not any(map(str.isalnum, words)):
            continue
        if bare and (words.startswith(("#", "|", "```")) or words.strip("# ") in titles):
            continue
        if not any(first < end and start < last for first, last in left_out):
            yield start, end


def _statement_spans(text: str, sentences: Sequence[Span]) -> list[Span]:
    """Return those that end as statements do, as labels and questions do not; none where they are little of it all."""
    whole = [span for span in sentences if _ENDS.search(text[slice(*span)])]
    return whole if _sentence_chars(whole) >= LEAST_WHOLE * _sentence_chars(sentences) else []


def _sentence_chars(spans: Sequence[Span]) -> int:
    return sum(end - start for start, end in spans)


def _innermost_branch(sections: Sequence[Branch], root: Branch, sentence: Span) -> Branch:
    """Return the last section that begins before a sentence and holds it."""
    low, high = 0, len(sections)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if sections[middle].span[0] <= sentence[0] else (low, middle)
    for branch in reversed(sections[:low]):
        if sentence[0] < branch.span[1]:
            return branch
    return root


def _split_long_branch(branch: Branch) -> None:
    """Put the sentences of a long text into parts of their own, before the sections below it."""
    if _sentence_chars(branch.own) <= PART_CHARS:
        return
    parts: list[list[Span]] = [[]]
    chars = 0
    for sentence in branch.own:
        if chars >= PART_CHARS:
            parts.append([])
            chars = 0
        parts[-1].append(sentence)
        chars += sentence[1] - sentence[0]
    made = [Branch((part[0][0], part[-1][1]), branch.headings, part) for part in parts]
    branch.own = []
    branch.below = sorted([*made, *branch.below], key=lambda one: one.span)
