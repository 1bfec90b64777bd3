"""What settings say of the way in: reading, cutting and enriching."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, field_validator

from rove.records.chunk import ANSWER_SLOT
from rove.records.filter import BUILT_IN_NAMES, RENAMED
from rove.settings.models import ModelSection
from rove.settings.section import FILE, Change, SettingsSection
from rove.settings.values import ValueSettings


class LoadSettings(SettingsSection):
    """Stage 1. What needs more than the limits is refused, and stands in the ledger with the reason."""

    change = Change("page", "start")
    max_file_mb: int = Field(default=256, ge=1)
    """A larger file is refused; so is what of a source's text comes after as many million characters, or 256."""
    max_cpu_s: float = Field(default=20.0, gt=0)
    """Processor time for one source of up to 16 MiB. A larger one has as much again for each further 16 MiB, and so has
    each page that OCR reads."""
    max_ocr_s: float = Field(default=14_400.0, gt=0)
    """After so many seconds by the clock OCR begins no further page of a source, and speech no further minute of it."""
    max_memory_mb: int = Field(default=1_500, ge=200)
    """Memory for one source of up to 16 MiB."""
    processes: int = Field(default=0, ge=0)
    """Processes that parse files; 0: as many as there are cores."""
    workers: Annotated[str, FILE] = Field(default="", pattern=r"^([0-9]*|[a-z][a-z0-9_-]*(://\S+|\?\S+)?)$")
    """Who reads, cuts and embeds many sources: "" this process, its threads and its reading processes; "2" two
    processes with a model each; "ray" a local Ray, "ray://host:10001" a cluster (an extra: `pip install 'rove[ray]'`);
    or a plug-in's name, or address."""
    shards: Annotated[str, FILE] = ""
    """Where workers put what they have made until the base has it: a folder that all of them reach, or "s3://bucket/…";
    "": the folder "shards" of the base, which does for workers on this machine."""
    keep_boilerplate: bool = False
    """Whether menus and footers of web pages count as text."""
    ocr: str = Field(default="auto", pattern=r"^[a-z][a-z0-9_-]*$")
    """What reads the text in pictures: "rapid" (an extra: `pip install 'rove[scan]'`; Latin, Chinese and Japanese
    script), "tesseract" (a program, in the languages installed with it), or a plug-in's name. "auto": the first of
    these that is there, and the other for pages of which the first reads little. "off": nothing."""
    convert: bool = True
    """Old Office files and others that no loader reads are converted by LibreOffice, if it is there (on Linux)."""
    max_rows: int = Field(default=100_000, ge=1)
    """How many rows are read of each table of a database by address."""
    duplicates: Literal["report", "skip", "off"] = "report"
    """Documents that say the same as an earlier one are reported ("report"), left out ("skip"), or not looked for
    ("off")."""
    ignore: tuple[str, ...] = ()
    """Patterns, as in a .gitignore, of files that are left out; beside those of a .roveignore."""
    prune: bool = False
    """Whether adding a folder again takes out what is gone from it; without, it is told, and stays (whether it is found
    says `search.outdated`)."""
    follow_links: Annotated[bool, FILE] = True
    """Whether links that lead out of an added folder are followed; those within it always are, once."""
    fetch_timeout_s: float = Field(default=30.0, gt=0)
    """How long a page of the web is waited for."""
    allow_private_hosts: Annotated[bool, FILE] = False
    """Whether pages of hosts in a private network are fetched."""

    @field_validator("ocr", mode="before")
    @classmethod
    def _switched(cls, ocr: object) -> object:
        """Take what the setting was before it named an engine: a switch."""
        switches = {"true": "auto", "false": "off"}
        return switches.get(str(ocr).lower(), ocr)

    @field_validator("workers", mode="before")
    @classmethod
    def _named(cls, workers: object) -> object:
        return str(workers) if isinstance(workers, int) and not isinstance(workers, bool) else workers


class ChunkSettings(SettingsSection):
    """Stage 2."""

    change = Change("page", "documents")
    strategy: Mapping[str, str] = Field(default_factory=dict)
    """A document type and one of its strategies: {"pdf": "page"}. A type is a loader's name ("markdown", "pdf", …),
    "url" (a page by its address), "txt" (a text file) or "string" (a text that was given); the last three win over the
    loader's."""
    size_chars: int = Field(default=512, ge=16)
    """How long a chunk may be, in characters."""
    overlap_chars: int = Field(default=50, ge=0)
    """How much of a chunk the next one repeats, with the strategy "size"."""
    separator: str = Field(default="\n", min_length=1)
    """Where the strategy "separator" cuts."""
    merge: bool = False
    """Whether "separator" merges short parts up to the size."""
    prefix: str = "headings"
    """What stands before each chunk's text in the index: "headings" (title and heading path), "" (nothing), or the name
    of a metadata field. The size shrinks by the longest."""
    labels: Mapping[str, str] = Field(default_factory=dict)
    """How the values of that field are written: a value, and its words."""
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
    """Fields that are worked out after ingest."""

    change = Change("page", "now")
    after_add: tuple[str, ...] = ()
    """The enrichers that run at the end of every `add`."""
    fields: Mapping[str, ValueSettings] = Field(default_factory=dict)
    """Of the enricher "fields": values to find in every document, which become fields of it."""
    ask_model: bool = False
    """Whether the chat model, if there is one, is asked too: by "fields" for what no rule finds, a call for each
    document; by "graph" for triplets, a call for every 2,000 characters. What it names is kept only with words of the
    document that hold it. `rove enrich` says what that comes to before it begins."""
    sentiment: str = ""
    """"probe", "onnx" (a text classifier, its folder as `model`), "none" or a plug-in's name. "": the probe where it
    fits the embedder, else none."""
    threads: int = Field(default=0, ge=0)
    """Threads of the classifier; 0: as many as there are cores."""
    agree: tuple[str, ...] = Field(
        default=("This is correct", "This is true", "I agree", "This is helpful"), min_length=1
    )
    """Sentences that replies are compared with: how near they are to agreement."""
    disagree: tuple[str, ...] = Field(
        default=("This is incorrect", "This is false", "I disagree", "This is not helpful"), min_length=1
    )
    """Sentences that replies are compared with: how near they are to disagreement."""

    @field_validator("fields")
    @classmethod
    def _own_names(cls, fields: Mapping[str, ValueSettings]) -> Mapping[str, ValueSettings]:
        if taken := sorted(BUILT_IN_NAMES.intersection(fields)):
            message = f"every document has a field {taken[0]!r} of its own: name yours {RENAMED + taken[0]!r}, say"
            raise ValueError(message)
        return fields
