"""Jupyter notebooks (nbformat 3 and 4): text as it is, code and what it printed between fences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import cast

from rove.errors import InputError
from rove.load.data.record import Json
from rove.load.html.html import HtmlLoader
from rove.load.markdown import first_title, markdown_sections
from rove.load.text import clean, decode, identify, require_text, stem
from rove.records import Document, Source
from rove.records.source import MetaValue

ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
INLINE_IMAGE = re.compile(r"\]\((?:data:|attachment:)[^)\]]*+\)")
FENCES = re.compile(r"`{3,}")
MAX_OUTPUT_CHARS = 20_000  # a log that a cell printed; the rest is cut, and marked
LANGUAGE = re.compile(r"[\w+#.-]{1,24}")

Object = dict[str, Json]


class NotebookLoader:
    """See `Loader`. Pictures that a cell made are named and not kept."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        raw = require_text(decode(source.data), source)
        try:
            notebook = cast("Json", json.loads(raw))
        except (ValueError, RecursionError) as error:
            message = f"{source.name!r} is not a complete notebook: {error}."
            raise InputError(message, cure="Get the file again.") from error
        root = _as_json_object(notebook)
        cells = _notebook_cells(root)
        if not isinstance(notebook, dict) or not ({"cells", "worksheets"} & notebook.keys()):
            message = f"{source.name!r} is JSON and no notebook: it has no cells."
            raise InputError(message, cure="Give it the suffix .json.")
        about = _as_json_object(root.get("metadata"))
        language = _notebook_language(about)
        blocks = (block.strip("\n") for cell in cells for block in _notebook_cell_blocks(cell, language))
        text = clean("\n\n".join(block for block in blocks if block.strip()) + "\n")
        require_text(text, source)
        sections = markdown_sections(text)
        fields: dict[str, MetaValue] = {"programming_language": language, "authors": _authors(about)}
        yield Document(
            document_id=identify(source),
            source=source.uri,
            kind="ipynb",
            text=text,
            title=clean(_multiline_text(about.get("title"))).strip() or first_title(sections) or stem(source),
            metadata={key: value for key, value in fields.items() if value},
            sections=sections,
        )


def _notebook_cells(root: Object) -> list[Object]:
    """The cells; in version 3 they lie in worksheets."""
    sheets = [root, *map(_as_json_object, _as_json_list(root.get("worksheets")))]
    return [_as_json_object(cell) for sheet in sheets for cell in _as_json_list(sheet.get("cells"))]


def _notebook_cell_blocks(cell: Object, language: str) -> Iterator[str]:
    kind = cell.get("cell_type")
    text = _multiline_text(cell.get("source", cell.get("input")))
    if kind == "markdown":
        yield INLINE_IMAGE.sub("](picture)", text)
    elif kind == "heading":
        level = cell.get("level")
        yield f"{'#' * min(max(level if isinstance(level, int) else 1, 1), 6)} {' '.join(text.split())}"
    elif kind == "code":
        if text.strip():
            yield _fence_cell_text(text, language)
        for output in _as_json_list(cell.get("outputs")):
            yield from _output(_as_json_object(output))
    elif text.strip():  # raw
        yield _fence_cell_text(text, "")


def _output(output: Object) -> Iterator[str]:
    """What a cell gave: one of the forms in which the notebook keeps it, the most readable."""
    kind = output.get("output_type")
    if kind in {"error", "pyerr"}:
        yield _fence_cell_text(f"{_multiline_text(output.get('ename'))}: {_multiline_text(output.get('evalue'))}", "")
        return
    forms = _as_json_object(output.get("data")) or output
    markdown, page, plain = (
        _multiline_text(forms.get(mime, forms.get(short)))
        for mime, short in (("text/markdown", "markdown"), ("text/html", "html"), ("text/plain", "text"))
    )
    if "text/latex" in forms or "latex" in forms:
        yield f"$$\n{_multiline_text(forms.get('text/latex', forms.get('latex'))).strip().strip('$')}\n$$"
    elif any(name.startswith("image/") or name in {"png", "jpeg", "svg"} for name in forms):
        yield f"![output{_what(plain)}](output)"
    elif markdown.strip():
        yield INLINE_IMAGE.sub("](picture)", markdown)
    elif "<table" in page and (table := _table_from_html_output(page)):
        yield table
    elif plain.strip():
        yield _fence_cell_text(plain, "")


def _what(plain: str) -> str:
    """What a picture's own text says it shows; that of most libraries names a Python object only."""
    plain = " ".join(plain.split())
    return f": {plain[:200]}" if plain and not plain.startswith("<") else ""


def _table_from_html_output(page: str) -> str:
    try:
        return next(HtmlLoader().load(Source("output", "output", page.encode(), "html"))).text.strip()
    except InputError:
        return ""


def _fence_cell_text(text: str, language: str) -> str:
    text = ANSI.sub("", text).strip("\n")
    if len(text) > MAX_OUTPUT_CHARS and not language:
        text = f"{text[:MAX_OUTPUT_CHARS]}\n… ({len(text) - MAX_OUTPUT_CHARS} characters more)"
    fence = "`" * max(3, 1 + max(map(len, FENCES.findall(text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def _notebook_language(about: Object) -> str:
    found = (
        _as_json_object(about.get(name)).get(key)
        for name, key in (("language_info", "name"), ("kernelspec", "language"))
    )
    name = next((name for name in found if isinstance(name, str) and LANGUAGE.fullmatch(name)), "")
    return "python" if name == "ipython" else name


def _authors(about: Object) -> str:
    names = (_multiline_text(_as_json_object(author).get("name")) for author in _as_json_list(about.get("authors")))
    return clean(", ".join(name for name in names if name))


def _as_json_object(value: Json) -> Object:
    return value if isinstance(value, dict) else {}


def _as_json_list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _multiline_text(value: Json) -> str:
    """A text, which notebooks keep as a list of lines or in one piece."""
    lines: Iterable[Json] = value if isinstance(value, list) else [value]
    return "".join(line for line in lines if isinstance(line, str))
