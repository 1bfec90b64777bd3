"""What settings say of the way in: reading, cutting and enriching."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, field_validator

from rove.records.chunk import ANSWER_SLOT
from rove.settings.models import ModelSection
from rove.settings.section import SettingsSection


class LoadSettings(SettingsSection):
    """Stage 1. What needs more than the limits is refused, and stands in the ledger with the reason.

    `max_cpu_s` and `max_memory_mb` hold for one source of up to 16 MiB; a larger one has as much time again for each
    further 16 MiB, and so has each page that OCR reads; after `max_ocr_s` by the clock OCR begins no further page of a
    source. `processes` parse foreign formats, 0 for as many as there are cores. `keep_boilerplate` takes menus and
    footers of pages for text; `ocr` reads pictures where tesseract is installed; `max_rows` are read of each table of a
    database by address. `duplicates`: documents that say the same as an earlier one are reported, or skipped. `ignore`
    are patterns as in a .gitignore, beside those of a .roveignore. Pages of hosts in a private network are fetched only
    with `allow_private_hosts`.
    """

    max_file_mb: int = Field(default=256, ge=1)
    max_cpu_s: float = Field(default=20.0, gt=0)
    max_ocr_s: float = Field(default=14_400.0, gt=0)
    max_memory_mb: int = Field(default=1_500, ge=200)
    processes: int = Field(default=0, ge=0)
    keep_boilerplate: bool = False
    ocr: bool = True
    convert: bool = True
    """Old Office files and others that no loader reads are converted by LibreOffice, if it is there (on Linux)."""
    max_rows: int = Field(default=100_000, ge=1)
    duplicates: Literal["report", "skip", "off"] = "report"
    ignore: tuple[str, ...] = ()
    fetch_timeout_s: float = Field(default=30.0, gt=0)
    allow_private_hosts: bool = False


class ChunkSettings(SettingsSection):
    """Stage 2. `strategy` maps a document type to one of its supported strategies, e.g. {"pdf": "page"}.

    A type is a loader's name ("markdown", "pdf", …), "url" (a page by its address), "txt" (a text file) or "string" (a
    text that was given); of several that a document has, the strategy of "url", "txt" or "string" counts.

    `prefix` stands before each chunk's text in the index: "headings" (title and heading path), "" (nothing), or the
    name of a field, whose value is written as `labels` says; the size shrinks by the longest.
    """

    strategy: Mapping[str, str] = Field(default_factory=dict)
    size_chars: int = Field(default=512, ge=16)
    overlap_chars: int = Field(default=50, ge=0)
    separator: str = Field(default="\n", min_length=1)
    merge: bool = False
    prefix: str = "headings"
    labels: Mapping[str, str] = Field(default_factory=dict)
    template: str = ""
    """The form in which chunks are indexed and embedded: "Query: {query} Answer: {answer}", say.

    `{query}` is the prefix, `{answer}` the text; made-up answers of the fallback "hyde" get the same form. "" is the
    prefix, a line break, the text."""

    @field_validator("template")
    @classmethod
    def _fillable(cls, template: str) -> str:
        ends = (f" {ANSWER_SLOT}", f"\n{ANSWER_SLOT}")
        if template and (not template.endswith(ends) or template.count(ANSWER_SLOT) != 1):
            message = f"a template ends with a space or a line break and {ANSWER_SLOT}, which it holds once"
            raise ValueError(message)
        return template


class EnrichSettings(ModelSection):
    """Fields that are worked out after ingest. `after_add` names the enrichers that run at the end of every `add`.

    `sentiment` is "probe", "onnx" (a text classifier, its folder as `model`), "none" or a plug-in's name; "" is the
    probe where it fits the embedder, else none. `agree` and `disagree` are what replies are compared with.
    """

    after_add: tuple[str, ...] = ()
    sentiment: str = ""
    threads: int = Field(default=0, ge=0)
    agree: tuple[str, ...] = Field(
        default=("This is correct", "This is true", "I agree", "This is helpful"), min_length=1
    )
    disagree: tuple[str, ...] = Field(
        default=("This is incorrect", "This is false", "I disagree", "This is not helpful"), min_length=1
    )
