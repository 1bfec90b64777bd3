"""Documents by what people call them: an id, a path, or so much of either that only one is meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rove.errors import InputError, count_text
from rove.records import DocumentInfo
from rove.store.document_query import DocumentQuery
from rove.store.documents import Documents

SHORTEST = 4
"""Characters of an id that can stand for all of it."""
SHOWN = 3


def find_named(documents: Documents, places: Mapping[str, str], *, whole: bool = False) -> list[DocumentInfo]:
    """Return the documents of these names, in the order they came; one path can hold many. Blocks.

    Args:
        documents: where they are looked for.
        places: name → the path from the root on that it is, if it is one.
        whole: a name has to be a whole id, path or address; else the beginning of an id or the end of a path will do.

    Raises:
        InputError: a name is of no document, or could mean several.
    """
    found = documents.documents(ids=list(places), sources=[*places, *places.values()])
    held = {value for info in found for value in (info.document_id, *_source_and_file(info))}
    unknown = [name for name, place in places.items() if name not in held and place not in held]
    if unknown and not whole:
        may_be = documents.find_documents([_query(name) for name in unknown])
        near = {name: _match_partial_name(name, infos) for name, infos in zip(unknown, may_be, strict=True)}
        more = [info.document_id for infos in near.values() for info in infos]
        if more:
            found = documents.documents(ids=[*more, *(info.document_id for info in found)])
            unknown = [name for name in unknown if not near[name]]
    if unknown:
        message = f"Nothing in the base is named {', '.join(map(repr, unknown))}."
        raise InputError(message, cure="List the documents with: rove inspect")
    return found


def _query(name: str) -> DocumentQuery:
    """All that `_match_partial_name` can mean, and more: the database looks for it, in which there may be millions."""
    ends = _path_end(name)
    return DocumentQuery(begun=name, within_path=f"/{ends}" if ends else "")


def _path_end(name: str) -> str:
    return name.replace("\\", "/").removeprefix("./")


def _match_partial_name(name: str, every: Sequence[DocumentInfo]) -> list[DocumentInfo]:
    """The documents whose id begins, or whose path ends so, where that is one id or one path.

    Raises:
        InputError: it is several.
    """
    ids = [info for info in every if len(name) >= SHORTEST and info.document_id.startswith(name)]
    ends = _path_end(name)
    of_path = [info for info in every if any(one.endswith(f"/{ends}") for one in _source_and_file(info)) and ends]
    meant = {info.document_id: info.document_id for info in ids}
    meant |= {info.document_id: _source_and_file(info)[-1] for info in of_path if info.document_id not in meant}
    places = list(dict.fromkeys(meant.values()))
    if len(places) > 1:
        shown = ", ".join(places[:SHOWN]) + (" …" if len(places) > SHOWN else "")
        message = f"{name!r} could mean {count_text(len(places), 'document')}: {shown}."
        raise InputError(message, cure="Write more of the id or of the path.")
    return [info for info in every if info.document_id in meant]


def _source_and_file(info: DocumentInfo) -> tuple[str, str]:
    """Where a document was read from, and the file that holds it."""
    return info.source, info.source.rpartition("#")[0] or info.source
