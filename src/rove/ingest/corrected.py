"""Corrections that people have made are put into documents as these are read, before they are embedded."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from rove.prepare import Preparer
from rove.records import Prepared
from rove.records.correction import Correction, corrected
from rove.store.corrections import CORRECTED_AT, CORRECTED_BY, Corrections
from rove.store.set_fields import SetFields
from rove.store.store import Store

LOST = "A correction by {name} was left out, since its words are no longer there: {words}"
MOST_WORDS = 120
MOST_SAID = 3


async def with_corrections(
    store: Store, preparer: Preparer, prepared: Sequence[Prepared]
) -> tuple[dict[str, Prepared], dict[str, str]]:
    """Return documents by their ids, the last of each, as corrected; and what the ledger says of them, by source."""
    return await asyncio.to_thread(_with_corrections, store, preparer, prepared)


def _with_corrections(
    store: Store, preparer: Preparer, prepared: Sequence[Prepared]
) -> tuple[dict[str, Prepared], dict[str, str]]:
    latest = {item.document.document_id: item for item in prepared}
    database = store.catalog.database
    said: dict[str, str] = {}
    for document_id, before in Corrections(database).of(list(latest)).items():
        item = latest[document_id]
        document, made = corrected(item.document, before)
        if document is not item.document:
            latest[document_id] = replace(preparer.prepare(document, item.ledger_source), origin=item.origin)
        if made != before:
            Corrections(database).replace(document_id, made)
            last = made[-1] if made else None
            marks = {CORRECTED_BY: last and last.by, CORRECTED_AT: last and last.made_at}
            SetFields(database).put({document_id: marks})
        kept = {(one.made_at, one.after) for one in made}
        if lost := [one for one in before if (one.made_at, one.after) not in kept]:
            said[item.ledger_source] = " ".join(dict.fromkeys(map(_correction_loss_text, lost[:MOST_SAID])))
    return latest, said


def _correction_loss_text(one: Correction) -> str:
    words = " ".join(one.after.split())
    return LOST.format(name=one.by, words=f"“{words[:MOST_WORDS]}{'…' * (len(words) > MOST_WORDS)}”")
