"""Markdown: the text is the canonical text; headings become sections, front matter becomes metadata."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rove.errors import InputError
from rove.load.text import decode, identify, require_text, stem, without_data
from rove.records import Document, Section, Source
from rove.records.source import Metadata
from rove.registry import load

FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
MARKED_LINE = re.compile("\n {0,3}([#`~=-])")
MARKED_LINE_ATX = re.compile("\n {0,3}([#`~])")
NOT_A_PARAGRAPH = re.compile(r"(?: {4}|\t| {0,3}(?:[-*+>|#<]|\d+[.)][ \t]|`{3}|~{3}))")
FRONT_MATTER = {
    "---": re.compile(r"\A---[ \t]*\n((?:.*\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|$)"),
    "+++": re.compile(r"\A\+\+\+[ \t]*\n((?:.*\n)*?)\+\+\+[ \t]*(?:\n|$)"),
}
"""Blocks of fields before a text: YAML between lines of "---", TOML (Hugo's) between lines of "+++"."""
LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:[ \t]+\"[^\"]*\")?\)")
MARKS = re.compile(r"\*\*|__|`|(?<!\w)[*_]|[*_](?!\w)")
# U+000E is how loaders of office files mark that a page begins.
LIKE_A_MARK = re.compile(r"^(?=\x0e*(?:#{1,6}(?:\s|$)|```|~~~))", re.MULTILINE)
MAX_FRONT_MATTER = 65_536


class MarkdownLoader:
    """See `Loader`."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        text, metadata = split_front_matter(without_data(require_text(decode(source.data), source)))
        if not text.strip():
            message = f"{source.name!r} holds front matter and no text under it."
            raise InputError(message, cure="Write a text under the second '---', or leave it out.", outcome="empty")
        sections = markdown_sections(text)
        named = metadata.get("title")
        yield Document(
            document_id=identify(source),
            source=source.uri,
            kind="markdown",
            text=text,
            title=str(named or "") or first_title(sections) or stem(source),
            metadata=metadata,
            sections=sections,
        )


def markdown_sections(text: str, *, setext: bool = True) -> tuple[Section, ...]:
    r"""Return the sections of a markdown text, in order: one for each heading outside code fences.

    A section's span goes from its heading's line to the next heading of its level or above, or to the end.
    `setext` says whether lines of = or - under a line of text make it a heading, as in hand-written markdown.

    >>> [(s.title, s.level, s.span) for s in markdown_sections("# A\nx\n```\n# no\n```\n## B\n")]
    [('A', 1, (0, 24)), ('B', 2, (19, 24))]
    >>> [(s.title, s.level) for s in markdown_sections("Große Straße\n===\n\nein Text\n\nKlein\n---\n")]
    [('Große Straße', 1), ('Klein', 2)]
    """
    found = [h for h in _markdown_headings(text, setext=setext) if h[1]]
    sections: list[Section] = []
    ends = [len(text)] * 7  # by level: where the next heading of that level or above begins
    for level, title, start in reversed(found):
        sections.append(Section(title, level, (start, ends[level])))
        ends[level:] = [start] * (7 - level)
    return tuple(reversed(sections))


def split_front_matter(text: str) -> tuple[str, Metadata]:
    r"""Return the text under the front matter, and its fields, see `front_matter`. A block without is left in the text.

    >>> split_front_matter("---\ntitle: Ünnep\ntags: [a, b]\n---\n# X\n")
    ('# X\n', {'title': 'Ünnep', 'tags': ('a', 'b')})
    >>> split_front_matter("---\nA line of prose.\n---\n")
    ('---\nA line of prose.\n---\n', {})
    """
    form = next((form for form in FRONT_MATTER if text.startswith(form)), "")
    found = FRONT_MATTER[form].match(text, 0, MAX_FRONT_MATTER) if form else None
    reader = "toml_fields" if form == "+++" else "front_fields"
    metadata: Metadata | None = load(f"rove.load.front_matter:{reader}")(found[1]) if found else None
    if found is None or metadata is None:
        return text, {}
    return text[found.end() :].lstrip("\n"), metadata


def prose(text: str) -> str:
    r"""Return text of another format with a backslash before each line that only looks like a heading or a fence.

    >>> prose("# 1 of 3\n#tag")
    '\\# 1 of 3\n#tag'
    """
    return LIKE_A_MARK.sub(r"\\", text)


def strip_markup(markdown: str) -> str:
    """Return one line of markdown without links and marks, as a person reads it.

    >>> strip_markup("The **[big](https://a.b/c)** `add_all` of snake_case")
    'The big add_all of snake_case'
    """
    if "](" in markdown:
        markdown = LINK.sub(r"\1", markdown)
    if "*" in markdown or "`" in markdown or "_" in markdown:
        markdown = MARKS.sub("", markdown)
    return " ".join(markdown.split())


def first_title(sections: tuple[Section, ...]) -> str:
    """Return the title of the first section of level 1, else ""."""
    return next((s.title for s in sections if s.level == 1), "")


def _markdown_headings(text: str, *, setext: bool) -> Iterator[tuple[int, str, int]]:
    """Yield (level, title, start), in order. Only lines that begin with a mark are looked at."""
    fence = ""
    for found in (MARKED_LINE if setext else MARKED_LINE_ATX).finditer("\n" + text):
        start, mark = found.start(), found[1]  # the line break in front makes this the line's start in `text`
        end = text.find("\n", start)
        line = text[start:] if end < 0 else text[start:end]
        if fence:
            fence = "" if _is_closing_fence(line, fence) else fence
        elif mark == "#":
            level, title = _atx(line)
            if level:
                yield level, strip_markup(title), start
        elif mark in "`~":
            opened = FENCE.match(line)
            fence = opened[1] if opened else ""
        elif SETEXT.match(line) and (over := _line_over(text, start)):
            yield (1 if mark == "=" else 2), strip_markup(over), start - len(over) - 1


def _atx(line: str) -> tuple[int, str]:
    """Return level and title of a line that begins with #; level 0 where it is no heading."""
    line = line.strip()
    title = line.lstrip("#")
    level = len(line) - len(title)
    if level > 6 or (title and title[0] not in " \t"):
        return 0, ""
    title = title.strip()
    if title.endswith("#") and (cut := title.rstrip("#"))[-1:] in (" ", "\t", ""):
        title = cut.rstrip()
    return level, title


def _line_over(text: str, start: int) -> str:
    """Return the line before `start` where it is a paragraph of one line, else ""."""
    first = text.rfind("\n", 0, max(0, start - 1)) + 1
    line = text[first : start - 1] if start else ""
    if not line.strip() or NOT_A_PARAGRAPH.match(line) or SETEXT.match(line):
        return ""
    above = text[text.rfind("\n", 0, max(0, first - 1)) + 1 : first].strip()
    return line if not above or above.startswith(("#", "```", "~~~")) or SETEXT.match(above) else ""


def _is_closing_fence(line: str, fence: str) -> bool:
    mark = line.strip()
    return len(mark) >= len(fence) and not mark.strip(fence[0]) and not line.startswith("    ")
