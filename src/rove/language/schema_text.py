"""Descriptions of tables as text: written for people, recognised wherever they come from, and read back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import regex

from rove.records import Document, content_hash
from rove.records.document import Span
from rove.records.metadata import clean
from rove.records.schema import Column, TableSchema

SCHEMA = "schema"
"""The kind of documents that describe a table."""
LOOKED_AT = 2_000
MOST_SAMPLES, SAMPLE_CHARS = 3, 40
"""Values of a column that are shown, and their characters: longer ones are no names of things."""
KEY = "primary key"
QUOTES = ' `"[]'
_LINE = regex.compile(r"^- `(?P<name>[^`\n]+)`(?: \((?P<facts>[^\n]*?)\))?(?:: (?P<rest>[^\n]*))?$", regex.MULTILINE)
_HEAD = regex.compile(
    r"\A# (?P<name>[^\n]+)\n\nTable(?: \"(?P<label>[^\"\n]*)\")? of the database (?P<database>[^\n]*)\.\n"
)
_SHORT = regex.compile(
    r"\A\s*+table (?P<name>\S[^\n;:]{0,300}?)(?: \((?P<label>[^()\n]{0,300})\))?"
    r"(?: in (?:the )?database (?P<database>[^\n;:]{1,300}?))?\s{0,9}[;:.,\n]"
    r"\s{0,99}columns?\s*+:\s*+(?P<columns>.*)\Z",
    regex.IGNORECASE | regex.DOTALL,
)
_CREATE = regex.compile(
    r"\A(?:# [^\n]++\s++)?(?:```sql\s++)?\s*+CREATE (?:TEMP(?:ORARY)? |EXTERNAL )?TABLE (?:IF NOT EXISTS )?"
    r"(?P<name>[^\s(]++)\s*+\((?P<body>.*)\)",
    regex.IGNORECASE | regex.DOTALL,
)
_TYPE = regex.compile(
    r"(?:n?(?:var)?char2?|(?:tiny|small|medium|big)?int(?:eger)?\d*|(?:tiny|medium|long)?text|(?:big)?serial|string|"
    r"[nbc]?lob|uuid|xml|jsonb?|money|bit|bool(?:ean)?|(?:var)?binary|bytea|interval|double(?: precision)?|real|year|"
    r"enum|time|timestamp\w*|date(?:time)?2?|float\d*|dec(?:imal)?|numeric|number|others)(?:[ (].*)?",
    regex.IGNORECASE,
)
_CONSTRAINT = regex.compile(
    r"\A\s*(?:CONSTRAINT\s+\S+\s+)?(?P<what>PRIMARY|FOREIGN|UNIQUE|CHECK|KEY|INDEX)\b(?P<rest>.*)",
    regex.IGNORECASE | regex.DOTALL,
)
_REFERENCES = regex.compile(r"REFERENCES\s+(?P<table>[^\s(]+)\s*(?:\((?P<column>[^(),]++)[^()]*+\))?", regex.IGNORECASE)


def schema_of(text: str) -> TableSchema | None:
    """Return the table that a text describes; None where it is no description of one.

    Read are the form that `describe_table` gives, "table NAME (LABEL) in database DB; columns: NAME (LABEL, TYPE,
    primary key, -> TABLE.COLUMN), …", and a text that begins with CREATE TABLE.

    >>> found = schema_of("table CUST (customer) in database shop; columns: ID (id, number, primary key), D (-> d.id)")
    >>> found.name, found.database, [(c.name, c.is_key, c.references) for c in found.columns]
    ('CUST', 'shop', [('ID', True, ''), ('D', False, 'd.id')])
    >>> [c.type for c in schema_of("CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(20))").columns]
    ['INT', 'VARCHAR(20)']
    """
    if head := _HEAD.match(text):
        columns = tuple(
            _column_from_facts(found["name"], found["facts"] or "", found["rest"] or "")
            for found in _LINE.finditer(text)
        )
        comment = text[head.end() :].partition("- `")[0].strip()
        return TableSchema(head["name"], columns, head["database"], head["label"] or "", comment) if columns else None
    if found := _SHORT.match(text):
        items = [_parse_column_item(item) for item in _top_level_items(found["columns"])]
        columns = tuple(item for item in items if item)
        name = found["name"].strip().strip(QUOTES)
        return TableSchema(name, columns, (found["database"] or "").strip(), found["label"] or "") if columns else None
    if found := _CREATE.match(text):
        return _schema_from_ddl(found["name"], found["body"])
    return None


def reads_as_schema(text: str) -> bool:
    """Say whether a text describes one table, so that its names are worth spelling out."""
    begun = text[:LOOKED_AT].lstrip("# \n`").casefold()
    return begun.startswith(("table ", "create table")) and schema_of(text) is not None


def describe_table(table: TableSchema) -> str:
    """Write the description of a table: its name, what is said of it, and a line for each column.

    >>> print(describe_table(TableSchema("cust", (Column("ID", "INT", is_key=True),), "shop", comment="All who buy.")))
    # cust
    <BLANKLINE>
    Table of the database shop.
    All who buy.
    <BLANKLINE>
    - `ID` (INT, primary key)
    <BLANKLINE>
    """
    label = f' "{table.label}"' if table.label else ""
    comment = f"{_to_schema_line(table.comment)}\n" if table.comment else ""
    lines = "\n".join(map(_column_bullet, table.columns))
    database = _to_schema_line(table.database) or "?"
    return f"# {_to_schema_line(table.name)}\n\nTable{label} of the database {database}.\n{comment}\n{lines}\n"


def schema_document(table: TableSchema, uri: str) -> Document:
    """Return the document that describes a table of what `uri` names."""
    place = f"{uri}#{table.name}"
    facts = {"database": table.database, "table": table.name}
    return Document(
        content_hash(SCHEMA, place), place, SCHEMA, clean(describe_table(table)), table.name, metadata=facts
    )


def samples(values: Iterable[str]) -> tuple[str, ...]:
    """Return a few different values of a column, short ones without commas: what is shown of it."""
    texts = (" ".join(value.split()) for value in values)
    short = (text for text in texts if 0 < len(text) <= SAMPLE_CHARS and ", " not in text)
    return tuple(islice(dict.fromkeys(short), MOST_SAMPLES))


def column_spans(text: str) -> list[Span]:
    """Return where each column of a description stands, in order; [] where it is in none of the known forms."""
    if _HEAD.match(text):
        return [found.span() for found in _LINE.finditer(text)]
    if found := _SHORT.match(text):
        return list(_between(text, found.start("columns"), found.end("columns")))
    if found := _CREATE.match(text):
        return list(_between(text, found.start("body"), found.end("body")))
    return []


def _between(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the spans between the commas of a list that stand in no brackets."""
    depth = 0
    for at in range(start, end + 1):
        letter = text[at] if at < end else ","
        depth += (letter == "(") - (letter == ")")
        if (letter in ",;\n" and depth <= 0) or at == end:
            if text[start:at].strip():
                yield start, at
            start = at + 1


def _top_level_items(text: str) -> list[str]:
    """The parts of a list between its commas, those within brackets left alone, and blank ones left out."""
    return [text[start:end].strip() for start, end in _between(text, 0, len(text))]


def _column_bullet(column: Column) -> str:
    facts = (column.label, column.type, KEY * column.is_key, f"→ {column.references}" * bool(column.references))
    said = ", ".join(fact for fact in map(_to_schema_line, facts) if fact)
    samples = "e.g. " + ", ".join(map(_to_schema_line, column.samples)) if column.samples else ""
    rest = "; ".join(part for part in (_to_schema_line(column.comment), samples) if part)
    return f"- `{_to_schema_line(column.name)}`" + (f" ({said})" if said else "") + (f": {rest}" if rest else "")


def _column_from_facts(name: str, facts: str, rest: str = "") -> Column:
    label = kind = references = ""
    is_key = False
    for fact in _top_level_items(facts):
        folded = fact.casefold()
        if folded in {KEY, "pk"}:
            is_key = True
        elif fact.startswith(("->", "→", "references ")):
            references = fact.removeprefix("->").removeprefix("→").removeprefix("references ").strip()
        elif _TYPE.fullmatch(fact):  # of "(date, text)" the first is the label
            label, kind = label or kind, fact
        else:
            label = label or fact
    comment, _, samples = rest.partition("e.g. ") if "e.g. " in rest else (rest, "", "")
    held = tuple(filter(None, (one.strip() for one in samples.split(", "))))
    return Column(name, kind, label, is_key, references, comment.strip("; "), held)


def _parse_column_item(text: str) -> Column | None:
    """Read a column as "NAME (facts)" has it, with a full stop or without."""
    bare = text.strip().removesuffix(".").rstrip()
    opened = bare.find("(", 1) if bare.endswith(")") else -1
    name, facts = (bare[:opened], bare[opened + 1 : -1]) if opened > 0 else (bare, "")
    name = name.strip().strip(QUOTES)
    return _column_from_facts(name, facts) if name else None


def _schema_from_ddl(name: str, body: str) -> TableSchema | None:
    columns: dict[str, Column] = {}
    for start, end in _between(body, 0, len(body)):
        part = body[start:end].strip()
        if found := _CONSTRAINT.match(part):
            _constrain(columns, found["what"].upper(), found["rest"])
            continue
        column, _, rest = part.partition(" ") if not part.startswith(('"', "`", "[")) else _split_quoted_name(part)
        kind = regex.match(r"\s*(\w+(?: varying| precision)?(?:\s*\([^)]*\))?)", rest, regex.IGNORECASE)
        reference = _REFERENCES.search(rest)
        columns[column.casefold()] = Column(
            column.strip(QUOTES),
            kind[1] if kind else "",
            is_key=bool(regex.search(r"PRIMARY\s+KEY", rest, regex.IGNORECASE)),
            references=_reference_target(reference) if reference else "",
        )
    return TableSchema(name.strip(QUOTES), tuple(columns.values())) if columns else None


def _constrain(columns: dict[str, Column], what: str, rest: str) -> None:
    """Mark the columns that a constraint of a table names."""
    inner = regex.search(r"\(([^()]*+)\)", rest)
    names = [name.strip(QUOTES) for name in inner[1].split(",")] if inner else []
    reference = _REFERENCES.search(rest)
    for key, column in list(columns.items()):
        if column.name in names and what in {"PRIMARY", "FOREIGN"}:
            refers = _reference_target(reference) if reference and what == "FOREIGN" else column.references
            is_key = column.is_key or what == "PRIMARY"
            columns[key] = Column(
                column.name, column.type, column.label, is_key, refers, column.comment, column.samples
            )


def _reference_target(found: regex.Match[str]) -> str:
    table = found["table"].strip(QUOTES)
    column = (found["column"] or "").strip(QUOTES)
    return f"{table}.{column}" if column else table


def _split_quoted_name(part: str) -> tuple[str, str, str]:
    closing = {"[": "]"}.get(part[0], part[0])
    end = part.find(closing, 1)
    return part[1:end], "", part[end + 1 :]


def _to_schema_line(text: str) -> str:
    return " ".join(text.split())
