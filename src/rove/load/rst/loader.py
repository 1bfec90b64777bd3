"""reStructuredText: parsed by docutils, with Sphinx's marks read as text; it includes no file and runs nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from docutils import nodes
from docutils.core import publish_doctree  # pyright: ignore[reportUnknownVariableType]
from docutils.utils import SystemMessage

from rove.errors import InputError
from rove.load.markdown import first_title, markdown_sections
from rove.load.rst.text import Writer
from rove.load.text import clean, decode, identify, require_text, stem
from rove.records import Block, Document, Source
from rove.records.source import MetaValue

# Warnings are not errors: a page written for Sphinx has many, and what docutils does not know is read as text.
SETTINGS = {
    "file_insertion_enabled": False, "raw_enabled": False, "halt_level": 5, "report_level": 5, 
    "_disable_config": True, "sectsubtitle_xform": False, "line_length_limit": 1 << 28,
    "smart_quotes": False, "syntax_highlight": "none", "warning_stream": False,
}  # fmt: skip


MAX_TABLE_CHARS, MAX_SUBSTITUTED = 10_000, 100_000
WIDE_TABLE = re.compile(rf"^[ \t]*(?:\+-|==)[^\n]{{{MAX_TABLE_CHARS}}}", re.MULTILINE)
SUBSTITUTION = re.compile(r"^\.\.[ \t]+\|([^|\n]+)\|[ \t]+replace::(.*)$", re.MULTILINE)
REFERENCE = re.compile(r"\|([^|\n]+)\|")
TOO_DEEP = "its parts lie too deep in each other"


class RstLoader:
    """See `Loader`."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        text = require_text(decode(source.data), source)
        _check_rst_limits(text)
        tree = _parse_rst_tree(text)
        writer = Writer(_parse_rst_tree)
        try:
            text = clean("\n\n".join(writer.blocks(tree, 1 if tree.get("title") else 0)) + "\n")
        except RecursionError as error:
            raise _rst_syntax_error(TOO_DEEP) from error
        require_text(text, source)
        sections = markdown_sections(text, setext=False)
        yield Document(
            document_id=identify(source),
            source=source.uri,
            kind="rst",
            text=text,
            title=clean(str(tree.get("title", ""))).strip() or first_title(sections) or stem(source),
            metadata=_rst_docinfo_fields(tree),
            sections=sections,
            blocks=_rst_table_blocks(text, writer),
        )


def _check_rst_limits(text: str) -> None:
    """See that docutils can read the text in time: wide tables and nested substitutions take it quadratic time.

    Raises:
        InputError: "too-large".
    """
    if WIDE_TABLE.search(text):
        message = f"A table is over {MAX_TABLE_CHARS} characters wide."
        raise InputError(message, cure="Give it as a CSV file.", outcome="too-large")
    bodies = {found[1].casefold(): found[2].casefold() for found in SUBSTITUTION.finditer(text)}
    sizes = dict.fromkeys(bodies, 1)
    for _ in range(MAX_SUBSTITUTED.bit_length()):
        # one level deeper each time: what grows without end has grown past the limit by then
        sizes = {
            name: min(MAX_SUBSTITUTED, 1 + sum(sizes.get(inner, 0) for inner in REFERENCE.findall(body)))
            for name, body in bodies.items()
        }
    used = sum(sizes.get(name.casefold(), 0) for name in REFERENCE.findall(text)) if bodies else 0
    if used > MAX_SUBSTITUTED:
        message = f"Its substitutions put more than {MAX_SUBSTITUTED} pieces in."
        raise InputError(message, cure="Write out what they stand for.", outcome="too-large")


def _parse_rst_tree(text: str) -> nodes.document:
    try:
        return cast("nodes.document", publish_doctree(text, settings_overrides=SETTINGS))
    except RecursionError as error:
        raise _rst_syntax_error(TOO_DEEP) from error
    except (SystemMessage, AttributeError, AssertionError, IndexError, ValueError) as error:
        raise _rst_syntax_error(str(error)) from error


def _rst_syntax_error(why: str) -> InputError:
    message = f"This is no reStructuredText that can be read: {why.rstrip('.')}."
    return InputError(message, cure="Correct it, or give it the suffix .txt.")


def _rst_docinfo_fields(tree: nodes.document) -> dict[str, MetaValue]:
    """The author, date, version, … that the file begins with."""
    found: dict[str, MetaValue] = {}
    for info in tree.findall(nodes.docinfo):
        for field in info.children:
            if isinstance(field, nodes.field):
                name, value = (part.astext() for part in field.children)
                found[clean(name).lower()] = clean(value)
            elif isinstance(field, nodes.Element):
                found[field.tagname] = clean(field.astext())
    return found


def _rst_table_blocks(text: str, writer: Writer) -> tuple[Block, ...]:
    """Where the tables with a caption stand."""
    blocks: list[Block] = []
    at = 0
    for item in writer.captioned:
        start = text.find(item.table, at)
        if start >= 0:
            at = start + len(item.table)
            blocks.append(Block("table", (start, at), clean(item.caption)))
    return tuple(blocks)
