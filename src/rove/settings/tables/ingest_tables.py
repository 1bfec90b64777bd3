"""The types of the tables in `rove.settings.ingest`.

Written by `python docs/typed_settings.py` from the settings, for completion and type checks; nothing is added here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from pydantic import SecretStr

from rove.settings.tables.values_tables import ValueTable


class LoadTable(TypedDict, total=False):
    """The settings of `LoadSettings`, as a table."""

    max_file_mb: int
    """A larger file is refused; so is what of a source's text comes after as many million characters, or 256. Default:
    256."""
    max_cpu_s: float
    """Processor time for one source of up to 16 MiB. Default: 20.0."""
    max_ocr_s: float
    """After so many seconds by the clock OCR begins no further page of a source, and speech no further minute of it.
    Default: 14400.0."""
    max_memory_mb: int
    """Memory for one source of up to 16 MiB. Default: 1500."""
    processes: int
    """Processes that parse files; 0: as many as there are cores. Default: 0."""
    workers: str
    """Who reads, cuts and embeds many sources: "" this process, its threads and its reading processes; "2" two
    processes with a model each; "ray" a local Ray, "ray://host:10001" a cluster (an extra: `pip install 'rove[ray]'`);
    or a plug-in's name, or address."""
    shards: str
    """Where workers put what they have made until the base has it: a folder that all of them reach, or "s3://bucket/…";
    "": the folder "shards" of the base, which does for workers on this machine."""
    keep_boilerplate: bool
    """Whether menus and footers of web pages count as text. Default: False."""
    ocr: str
    """What reads the text in pictures: "rapid" (an extra: `pip install 'rove[scan]'`; Latin, Chinese and Japanese
    script), "tesseract" (a program, in the languages installed with it), or a plug-in's name. "auto": the first of
    these that is there, and the other for pages of which the first reads little. "off": nothing. Default: "auto"."""
    convert: bool
    """Old Office files and others that no loader reads are converted by LibreOffice, if it is there (on Linux).
    Default: True."""
    max_rows: int
    """How many rows are read of each table of a database by address. Default: 100000."""
    duplicates: Literal["report", "skip", "off"]
    """Documents that say the same as an earlier one are reported ("report"), left out ("skip"), or not looked for
    ("off"). Default: "report"."""
    ignore: Sequence[str]
    """Patterns, as in a .gitignore, of files that are left out; beside those of a .roveignore."""
    prune: bool
    """Whether adding a folder again takes out what is gone from it; without, it is told, and stays (whether it is found
    says `search.outdated`). Default: False."""
    follow_links: bool
    """Whether links that lead out of an added folder are followed; those within it always are, once. Default: True."""
    fetch_timeout_s: float
    """How long a page of the web is waited for. Default: 30.0."""
    allow_private_hosts: bool
    """Whether pages of hosts in a private network are fetched. Default: False."""


class ChunkTable(TypedDict, total=False):
    """The settings of `ChunkSettings`, as a table."""

    strategy: Mapping[str, str]
    """A document type and one of its strategies: {"pdf": "page"}."""
    size_chars: int
    """How long a chunk may be, in characters. Default: 512."""
    overlap_chars: int
    """How much of a chunk the next one repeats, with the strategy "size". Default: 50."""
    separator: str
    """Where the strategy "separator" cuts. Default: " "."""
    merge: bool
    """Whether "separator" merges short parts up to the size. Default: False."""
    prefix: str
    """What stands before each chunk's text in the index: "headings" (title and heading path), "" (nothing), or the name
    of a metadata field. Default: "headings"."""
    labels: Mapping[str, str]
    """How the values of that field are written: a value, and its words."""
    template: str
    """The form in which chunks are indexed and embedded: "Query: {query} Answer: {answer}", say."""


class EnrichTable(TypedDict, total=False):
    """The settings of `EnrichSettings`, as a table."""

    model: str
    """The model's name at its endpoint, or the folder or file that it lies in."""
    base_url: str
    """The address of the endpoint, with its version: "http://localhost:11434/v1"."""
    api_key: str | SecretStr
    """The endpoint's key."""
    timeout_s: float
    """How long a reply, or each piece of one that is streamed, is waited for. Default: 60.0."""
    retries: int
    """How often a call that has failed is tried again. Default: 2."""
    max_reply_mb: int
    """A larger reply is an error: an endpoint can go on for ever. Default: 16."""
    after_add: Sequence[str]
    """The enrichers that run at the end of every `add`."""
    fields: Mapping[str, ValueTable]
    """Of the enricher "fields": values to find in every document, which become fields of it."""
    ask_model: bool
    """Whether the chat model, if there is one, is asked too: by "fields" for what no rule finds, a call for each
    document; by "graph" for triplets, a call for every 2,000 characters. Default: False."""
    sentiment: str
    """\"probe", "onnx" (a text classifier, its folder as `model`), "none" or a plug-in's name. "": the probe where it
    fits the embedder, else none."""
    threads: int
    """Threads of the classifier; 0: as many as there are cores. Default: 0."""
    agree: Sequence[str]
    """Sentences that replies are compared with: how near they are to agreement."""
    disagree: Sequence[str]
    """Sentences that replies are compared with: how near they are to disagreement."""
