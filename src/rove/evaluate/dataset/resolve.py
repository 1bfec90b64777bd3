"""From the names of expected sources to the documents of a base: by id, path, end of a path, or title."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from rove.errors import InputError
from rove.evaluate.dataset import Dataset
from rove.records import DocumentInfo

MOST_NAMED = 5
Match = Callable[[str, DocumentInfo], bool]


def resolve(dataset: Dataset, documents: Sequence[DocumentInfo]) -> Dataset:
    """Fill in `gold`, grade 1, for the questions whose expected sources are named.

    A name is an id, a source (path, address), the end of a path ("hr/leave.md") or a title; the first of these that any
    document answers to counts. A source that holds many documents (a JSON file) must be named by their ids or titles.

    Raises:
        InputError: a name fits no document, or several.
    """
    known: dict[str, str] = {}
    gold: dict[str, Mapping[str, int]] = dict(dataset.gold)
    missing: dict[str, None] = {}
    for question_id, names in dataset.sources.items():
        for name in names:
            if name not in known and (found := document_named(name, documents)):
                known[name] = found
            if name not in known:
                missing[name] = None
        gold[question_id] = {known[name]: 1 for name in names if name in known}
    if missing:
        named = ", ".join(map(repr, list(missing)[:MOST_NAMED]))
        more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
        message = f"{dataset.name}: no document of the base is named {named}{more}."
        raise InputError(message, cure="List the documents with rove inspect; give an id, a path or a title.")
    spans = {
        question_id: tuple(replace(gold, document_id=known.get(gold.document_id, gold.document_id)) for gold in own)
        for question_id, own in dataset.spans.items()
    }
    return replace(dataset, gold=gold, spans=spans)


def document_named(name: str, documents: Sequence[DocumentInfo]) -> str:
    """Return the id of the document that a name means; "" where there is none.

    Raises:
        InputError: it means several.
    """
    for match in MATCHES:
        found = [info.document_id for info in documents if match(name, info)]
        if len(found) > 1:
            message = f"{len(found)} documents are named {name!r}: {', '.join(found[:MOST_NAMED])}."
            raise InputError(message, cure="Name the one you mean by its id, which rove inspect shows.")
        if found:
            return found[0]
    return ""


def _has_id(name: str, info: DocumentInfo) -> bool:
    return name == info.document_id


def _has_source(name: str, info: DocumentInfo) -> bool:
    return info.source in {name, str(Path(name).absolute())}


def _ends_so(name: str, info: DocumentInfo) -> bool:
    wanted = PurePath(name).parts
    return bool(wanted) and PurePath(info.source).parts[-len(wanted) :] == wanted


def _has_title(name: str, info: DocumentInfo) -> bool:
    return " ".join(name.split()).casefold() == " ".join(info.title.split()).casefold()


MATCHES: tuple[Match, ...] = (_has_id, _has_source, _ends_so, _has_title)
