"""JSON: records {id: {query, document, metadata}} and shapes like it; any other JSON is one document, as an outline."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Iterator
from io import BytesIO
from itertools import chain, islice
from typing import cast

from rove.errors import InputError
from rove.load import LOADERS
from rove.load.data.outline import MAX_DEPTH, Branch, outline_documents
from rove.load.data.record import IDS, MAX_NAMED, TITLES, Json, RecordPlace, Records, is_record
from rove.load.posts.names import looks_like_posts
from rove.load.text import BOMS, clean, decode, require_text
from rove.records import Document, Source

LINE_SUFFIXES = (".jsonl", ".ndjson")
STREAMED_CHARS = 8 << 20  # a text above this is not decoded in one piece
LOOK_ENTRIES = 1_000
SPACE = re.compile(r"[ \t\n\r]*")


class JsonLoader:
    """See `Loader`. A bad record loses only itself: the good ones are yielded, then a "partial" error names it."""

    def load(self, source: Source) -> Generator[Document, None, str]:
        """See `Loader.load`.

        Raises:
            InputError: also "partial", after the last good record: how many and which records were bad, and why.
        """
        if source.name.lower().endswith(LINE_SUFFIXES):
            if _are_posts(source):
                return (yield from cast("Generator[Document, None, str]", LOADERS.get("posts")().load(source)))
            yield from _json_documents(source, _json_line_records(source.data))
            return ""
        text = require_text(decode(source.data), source)
        if len(text) > STREAMED_CHARS and (entries := _top_level_elements(text)) is not None:
            yield from _json_documents(source, entries)
            return ""
        try:
            tree = cast("Json", json.loads(text))
        except (ValueError, RecursionError) as error:
            if not _is_lines(text):
                message = f"{source.name!r} is not complete JSON: {error}."
                raise InputError(message, cure="Correct it at that place, or get the file again.") from error
            yield from _json_documents(source, _json_line_records(source.data))
            return ""
        entries = _records_of(tree)
        if entries is not None:
            yield from Records(source).documents(entries)
        else:
            yield from _outline(source, tree)
        return ""


def _are_posts(source: Source) -> bool:
    first = next(_json_line_records(source.data), None)
    return first is not None and isinstance(first.value, dict) and looks_like_posts(first.value)


def _json_documents(source: Source, entries: Iterator[RecordPlace]) -> Iterator[Document]:
    """By the look of the first entries: records, or values that make an outline."""
    first = list(islice(entries, LOOK_ENTRIES))
    whole = [entry.value for entry in first if not entry.problem]
    entries = chain(first, entries)
    if not whole or any(map(is_record, whole)):
        yield from Records(source).documents(entries)
        return
    bad: list[str] = []
    yield from outline_documents(source, "", _branches(entries, bad))
    if bad:
        message = f"{len(bad)} values in {source.name!r} are bad: {'; '.join(bad[:MAX_NAMED])}."
        raise InputError(message, cure="Correct them, or get the file again.", outcome="partial")


def _branches(entries: Iterable[RecordPlace], bad: list[str]) -> Iterator[Branch]:
    for entry in entries:
        if entry.problem:
            bad.append(f"{entry.place}: {entry.problem}")
        else:
            yield to_branch(entry.key or "item", entry.value)


def _top_level_elements(text: str) -> Iterator[RecordPlace] | None:
    """The elements of one large array or object, decoded one at a time; None where the text is something else."""
    opened = SPACE.match(text)
    start = opened.end() if opened else 0
    if text[start : start + 1] not in {"[", "{"} or _is_lines(text):
        return None
    return _decode_elements(text, start + 1, keyed=text[start] == "{")


def _decode_elements(text: str, at: int, *, keyed: bool) -> Iterator[RecordPlace]:
    decoder = json.JSONDecoder()
    at = _skip(text, at)
    number = 0
    while text[at : at + 1] not in {"]", "}"}:
        number += 1
        key, place = "", f"record {number}"
        try:
            if keyed:
                name, at = cast("tuple[Json, int]", decoder.raw_decode(text, at))
                key = clean(str(name))
                at = _expect_json_mark(text, _skip(text, at), ":")
            value, at = cast("tuple[Json, int]", decoder.raw_decode(text, at))
            yield RecordPlace(place, value, key=key)
            at = _skip(text, at)
            if text[at : at + 1] not in {"]", "}"}:
                at = _expect_json_mark(text, at, ",")
        except (ValueError, RecursionError) as error:
            yield RecordPlace(place, problem=f"the file is not complete JSON from here on ({error})")
            return


def _skip(text: str, at: int) -> int:
    found = SPACE.match(text, at)
    return found.end() if found else at


def _expect_json_mark(text: str, at: int, mark: str) -> int:
    """Return the place after `mark` and white space."""
    if text[at : at + 1] != mark:
        message = f"{mark!r} expected at character {at}"
        raise ValueError(message)
    return _skip(text, at + 1)


def to_branch(label: str, value: Json, depth: int = 0) -> Branch:
    """Return a JSON value under a name as a node; a list gives a node for each item, short ones are one text."""
    if isinstance(value, dict):
        if depth >= MAX_DEPTH:
            return Branch(label, json.dumps(value, ensure_ascii=False))
        return Branch(
            label, "", tuple(n for key, item in value.items() for n in _branches_from_json(key, item, depth + 1))
        )
    if isinstance(value, list):
        return Branch(label, "", tuple(_branches_from_json("", value, depth + 1)))
    return Branch(label, _json_scalar_text(value))


def _branches_from_json(label: str, value: Json, depth: int) -> Iterator[Branch]:
    if not isinstance(value, list):
        yield to_branch(label, value, depth)
    elif depth >= MAX_DEPTH:
        yield Branch(label, json.dumps(value, ensure_ascii=False))
    elif not any(isinstance(item, dict | list) for item in value):
        yield Branch(label, ", ".join(map(_json_scalar_text, value)))
    elif any(isinstance(item, list) for item in value):  # lists in a list stay together
        yield Branch(label, "", tuple(to_branch(f"{number}", item, depth + 1) for number, item in enumerate(value, 1)))
    else:
        for item in value:
            yield to_branch(label, item, depth)


def _json_scalar_text(value: Json) -> str:
    return clean(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _json_line_records(data: bytes) -> Iterator[RecordPlace]:
    """Yield the records of JSON Lines, one line at a time."""
    stream = data if not any(data.startswith(mark) for mark, _ in BOMS) else decode(data).encode()
    for number, line in enumerate(BytesIO(stream), 1):
        if line.isspace():
            continue
        try:
            yield RecordPlace(f"line {number}", cast("Json", json.loads(line)))
        except UnicodeDecodeError:
            yield _legacy_line(number, line)
        except (ValueError, RecursionError) as error:
            yield RecordPlace(f"line {number}", problem=f"not complete JSON ({error})")


def _legacy_line(number: int, line: bytes) -> RecordPlace:
    try:
        return RecordPlace(f"line {number}", cast("Json", json.loads(decode(line))))
    except (InputError, ValueError, RecursionError) as error:
        return RecordPlace(f"line {number}", problem=f"not complete JSON ({error})")


def _is_lines(text: str) -> bool:
    """Say whether the first line that is not blank is a JSON object by itself, and is not all there is."""
    first, _, rest = text.lstrip().partition("\n")
    try:
        return first.startswith("{") and bool(rest.strip()) and isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _records_of(tree: Json) -> Iterable[RecordPlace] | None:
    """Return the records where most of the values look like one, else None."""
    if isinstance(tree, dict):
        if is_record(tree) and any(name in tree for name in (*IDS, *TITLES, "metadata")):
            return [RecordPlace("the record", tree)]
        if _mostly_records(tree.values()):
            return [RecordPlace(f"record {key!r}", value, key=clean(key)) for key, value in tree.items()]
    elif isinstance(tree, list) and _mostly_records(tree):
        return [RecordPlace(f"record {number}", value) for number, value in enumerate(tree, 1)]
    return None


def _mostly_records(values: Iterable[Json]) -> bool:
    looks = [is_record(value) for value in values]
    return sum(looks) * 2 >= len(looks) > 0


def _outline(source: Source, tree: Json) -> Iterator[Document]:
    if tree in ({}, [], "", None):
        message = f"{source.name!r} holds an empty JSON value."
        raise InputError(message, cure="Give a file with text in it, or leave it out.", outcome="empty")
    yield from outline_documents(source, "", iter(to_branch("", tree).children or (to_branch("value", tree),)))
