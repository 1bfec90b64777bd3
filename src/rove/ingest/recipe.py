"""From settings to how sources are read: the recipe, and the pool of processes that read by it."""

from __future__ import annotations

from rove.chunk import CHUNKERS, MODEL_CHUNKERS, CutSettings
from rove.load.image.ocr import AUTO, OFF
from rove.models import free_cores
from rove.prepare import Recipe
from rove.records import content_hash
from rove.sandbox import Limits
from rove.sandbox.office import library
from rove.sandbox.pool import Pool
from rove.settings import Settings

PIPELINE = "4"
"""Counts up when a loader, a chunker or the analyser changes what comes out of the same bytes."""
MOST_CHARS = 256_000_000
"""Characters of text that one source may hold; more where larger files may be read."""
WALL_FACTOR = 6
"""So many times its CPU time may a source take in all: other work may hold the machine, OCR runs beside it."""


def recipe_of(settings: Settings, model: str, *, with_chat: bool, read_by: str = "") -> Recipe:
    """Say how sources are read, by the settings and the embedder's fingerprint; and whether there is a chat model.

    `read_by`: the fingerprint by which a source is known as unchanged, where the base had another embedder before.

    Raises:
        ConfigError: the overlap is not below the size.
    """
    load, chunk = settings.load, settings.chunk
    chosen = chunk.model_dump_json() + repr((load.keep_boilerplate, _ocr_trait(load.ocr), load.max_rows))
    chosen += repr(settings.search.keyword_fields)
    convert = load.convert and bool(library())
    limits = (load.max_file_mb, load.max_cpu_s, load.max_memory_mb, load.max_ocr_s)
    return Recipe(
        model=model,
        pipeline=content_hash(PIPELINE, chosen, read_by or model),
        max_file_bytes=load.max_file_mb * 1_000_000,
        max_text_chars=max(MOST_CHARS, load.max_file_mb * 1_000_000),
        max_rows=load.max_rows,
        keep_boilerplate=load.keep_boilerplate,
        ocr=load.ocr,
        max_ocr_s=load.max_ocr_s,
        convert=convert,
        limits=repr((*limits, "convert") if convert else limits),
        strategy=dict(chunk.strategy),
        cut=CutSettings(chunk.size_chars, chunk.overlap_chars, chunk.separator, chunk.merge),
        prefix=chunk.prefix,
        labels=dict(chunk.labels),
        template=chunk.template,
        keyword_fields=settings.search.keyword_fields,
        deferred=tuple(name for name in sorted({*chunk.strategy.values()}) if _is_deferred(name, with_chat=with_chat)),
        sign=load.duplicates != "off",
    )


def _ocr_trait(choice: str) -> bool | str:
    """What of the setting decides the fingerprint: "auto" and "off" as the switch that they were, an engine's name."""
    return {AUTO: True, OFF: False}.get(choice, choice)


def _is_deferred(strategy: str, *, with_chat: bool) -> bool:
    """Say whether a strategy cuts where the models are; one that can do without needs a chat model for that."""
    if strategy in CHUNKERS.table:
        return with_chat and strategy in MODEL_CHUNKERS.table
    return strategy in MODEL_CHUNKERS.table or strategy in MODEL_CHUNKERS.outside


def pool_of(settings: Settings, model: str, *, with_chat: bool = False, read_by: str = "") -> Pool:
    """Make the pool of reading processes; none is started before it is needed. See `recipe_of`."""
    load = settings.load
    limits = Limits(load.max_cpu_s, WALL_FACTOR * load.max_cpu_s, load.max_memory_mb * 1_000_000)
    return Pool(
        recipe_of(settings, model, with_chat=with_chat, read_by=read_by), limits, load.processes or free_cores()
    )
