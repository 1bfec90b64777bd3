"""Names in the settings: each that names a plug-in, a document type or another setting is looked up at the opening."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rove.errors import ConfigError, meant
from rove.registry import Registry, load
from rove.settings import Settings

NONE, REFUSE, GATHER = "", "refuse", "gather"
OCR_CHOICES = ("auto", "off")
EMBEDDED = ("embedded", "memory")
INDEXES = "rove.store:INDEXES"
GRAPH_STORES = "rove.store.graph_store:GRAPH_STORES"
RETRIEVERS = "rove.retrieve:RETRIEVERS"
READERS = "rove.walk:READERS"
SENTIMENTS = "rove.enrich.sentiment:SENTIMENTS"
FALLBACKS = "rove.answer.fallback:FALLBACKS"
TOOL_SOURCES = "rove.tools:TOOL_SOURCES"
ENRICHERS = "rove.enrich:ENRICHERS"
WORKER_POOLS, WORKERS_NAMED = "rove.ingest.workers:WORKER_POOLS", "rove.ingest.workers:named"
CHUNKERS, MODEL_CHUNKERS, SUPPORTED = "rove.chunk:CHUNKERS", "rove.chunk:MODEL_CHUNKERS", "rove.chunk:SUPPORTED"
STRATEGY_FOR = "rove.chunk.cut:strategy_for"
LOADERS = "rove.load:LOADERS"
OCR_ENGINES = "rove.load.image.ocr:OCR_ENGINES"
RERANKERS, RULES = "rove.models:RERANKERS", "rove.retrieve.rules:RULES"
JUDGES = "rove.models.judge:JUDGES"
NAMING: Mapping[str, str] = {
    "answer.mode": RETRIEVERS,
    "answer.fallback": FALLBACKS,
    "search.chain": RETRIEVERS,
    "load.ocr": OCR_ENGINES,
    "search.reranker": RERANKERS,
    "search.rules": RULES,
    "judge.name": JUDGES,
    "walk.reader": READERS,
    "enrich.sentiment": SENTIMENTS,
    "enrich.after_add": ENRICHERS,
}
"""Settings that name plug-ins, and where those that can be named stand."""


@dataclass(frozen=True, slots=True)
class Named:
    """A setting that names something of some registries, or one of the `others`. `registries`: where they stand."""

    setting: str
    name: str
    registries: tuple[str, ...]
    others: tuple[str, ...] = ()

    def check(self) -> None:
        """See that there is such a thing; what is installed beside Rove is looked at only where it must be (slow).

        Raises:
            ConfigError: there is not.
        """
        if self.name in self.others:
            return
        registries: list[Registry] = [load(place) for place in self.registries]
        if any(self.name in registry.table for registry in registries):
            return
        known = dict.fromkeys((*self.others, *(name for registry in registries for name in registry.names())))
        if self.name not in known:
            message = f"{self.setting} is {self.name!r}, which there is not."
            choices = ", ".join(name or '""' for name in known)
            raise ConfigError(message, cure=f"{meant(self.name, known)}Choose one of: {choices}.")


def check_names(settings: Settings) -> None:
    """Look up the names that are used only later: a wrong one is said now, with what was meant.

    Names that Rove itself sets are not looked up, so that a search imports nothing of what answers, cuts or walks.

    Raises:
        ConfigError: a setting names what there is not.
    """
    shipped = frozenset(plugin_names(Settings.model_construct()))
    for named in plugin_names(settings):
        if named not in shipped:
            named.check()
    for kind, strategy in settings.chunk.strategy.items():
        load(STRATEGY_FOR)(kind, strategy)


def plugin_names(settings: Settings) -> Iterator[Named]:
    """Every name in the settings that can be looked up."""
    if settings.load.workers:
        yield Named("load.workers", load(WORKERS_NAMED)(settings.load.workers)[0], (WORKER_POOLS,), (NONE,))
    yield Named("load.ocr", settings.load.ocr, (OCR_ENGINES,), OCR_CHOICES)
    yield Named("store.index", settings.store.index, (INDEXES,), EMBEDDED)
    yield Named("store.graph.store", settings.store.graph.store, (GRAPH_STORES,))
    yield Named("answer.mode", settings.answer.mode, (RETRIEVERS,))
    for name in settings.search.chain:
        yield Named("search.chain", name, (RETRIEVERS,))
    for name in settings.search.together:
        yield Named("search.together", name, (RETRIEVERS,))
    yield Named("judge.name", settings.judge.name, (JUDGES,), (NONE,))
    yield Named("walk.reader", settings.walk.reader, (READERS,), (NONE,))
    yield Named("enrich.sentiment", settings.enrich.sentiment, (SENTIMENTS,), (NONE,))
    for name in settings.answer.fallback:
        yield Named("answer.fallback", name, (FALLBACKS,))
    yield from (Named(f"tools.{name}.kind", one.kind, (TOOL_SOURCES,)) for name, one in settings.tools.items())
    for name in settings.enrich.after_add:
        yield Named("enrich.after_add", name, (ENRICHERS,))
    for name, intent in settings.question.intents.items():
        yield Named(f"question.intents.{name}.route", intent.route, (RETRIEVERS,), (NONE, REFUSE, GATHER))
    for name, slot in settings.question.slots.items():
        for intent in slot.intents:
            yield Named(f"question.slots.{name}.intents", intent, (), tuple(settings.question.intents))
    for kind, strategy in settings.chunk.strategy.items():
        yield Named(f"chunk.strategy.{kind}", strategy, (CHUNKERS, MODEL_CHUNKERS), (NONE,))
        yield from _of_kind(kind)


def _of_kind(kind: str) -> Iterator[Named]:
    """The type of documents that chunk.strategy names, where all that there are can be known."""
    loaders, supported = load(LOADERS), load(SUPPORTED)
    if kind not in supported and loaders.names() == tuple(loaders.table):  # one from outside has kinds of its own
        yield Named("A type in chunk.strategy", kind, (LOADERS,), tuple(supported))
