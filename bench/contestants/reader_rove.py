"""Rove's loaders, in this process and with nothing behind them."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from reading_protocol import Reading, compete

from rove.errors import InputError
from rove.load.discover import load_documents, locate
from rove.load.discover import read_place as read_source
from rove.records import Document

RECORDS = {"json", "parquet"}
"""Kinds whose documents have their titles apart, and not in their texts."""


def read(path: str, kind: str) -> Reading:
    del kind
    documents: list[Document] = []
    try:
        documents += load_documents(read_source(locate([Path(path)])[0]))
    except InputError as error:
        if error.outcome != "partial":
            raise
    spans = sum(box.span[1] - box.span[0] for document in documents for box in document.boxes)
    texts = [f"{d.title}\n\n{d.text}" if d.kind in RECORDS else d.text for d in documents]
    return {
        "text": "\n\n".join(texts),
        "pages": sum(len(document.pages) for document in documents),
        "boxed": spans,
        "chars": sum(len(document.text) for document in documents),
    }


compete(f"rove {version('rove')}", read)
