"""Names in the settings: each that names a plug-in, a document type or another setting is looked up at the opening."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rove.answer.fallback import FALLBACKS
from rove.chunk import CHUNKERS, MODEL_CHUNKERS, SUPPORTED
from rove.chunk.cut import strategy_for
from rove.conversation.respond import GATHER
from rove.enrich import ENRICHERS
from rove.enrich.sentiment import SENTIMENTS
from rove.errors import ConfigError, meant
from rove.ingest.workers import WORKER_POOLS
from rove.ingest.workers import named as worker_pool
from rove.load import LOADERS
from rove.models import RERANKERS
from rove.question.understand import REFUSE
from rove.registry import Registry
from rove.retrieve import RETRIEVERS
from rove.retrieve.rules import RULES
from rove.settings import Settings
from rove.store import INDEXES
from rove.store.embedded import NAMES as EMBEDDED
from rove.store.graph_store import GRAPH_STORES
from rove.tools import TOOL_SOURCES
from rove.walk import READERS

NONE = ""
NAMING: Mapping[str, Registry] = {
    "answer.mode": RETRIEVERS,
    "answer.fallback": FALLBACKS,
    "search.chain": RETRIEVERS,
    "search.reranker": RERANKERS,
    "search.rules": RULES,
    "walk.reader": READERS,
    "enrich.sentiment": SENTIMENTS,
    "enrich.after_add": ENRICHERS,
}
"""Settings that name plug-ins, and what can be named there."""


@dataclass(frozen=True, slots=True)
class Named:
    """A setting that names something of some registries, or one of the `others`."""

    setting: str
    name: str
    registries: tuple[Registry, ...]
    others: tuple[str, ...] = ()

    def check(self) -> None:
        """See that there is such a thing; what is installed beside Rove is looked at only where it must be (slow).

        Raises:
            ConfigError: there is not.
        """
        if self.name in self.others or any(self.name in registry.table for registry in self.registries):
            return
        known = dict.fromkeys((*self.others, *(name for registry in self.registries for name in registry.names())))
        if self.name not in known:
            message = f"{self.setting} is {self.name!r}, which there is not."
            choices = ", ".join(name or '""' for name in known)
            raise ConfigError(message, cure=f"{meant(self.name, known)}Choose one of: {choices}.")


def check_names(settings: Settings) -> None:
    """Look up the names that are used only later: a wrong one is said now, with what was meant.

    Raises:
        ConfigError: a setting names what there is not.
    """
    for named in _named(settings):
        named.check()
    for kind, strategy in settings.chunk.strategy.items():
        strategy_for(kind, strategy)


def _named(settings: Settings) -> Iterator[Named]:
    yield Named("load.workers", worker_pool(settings.load.workers)[0], (WORKER_POOLS,), (NONE,))
    yield Named("store.index", settings.store.index, (INDEXES,), EMBEDDED)
    yield Named("store.graph.store", settings.store.graph.store, (GRAPH_STORES,))
    yield Named("answer.mode", settings.answer.mode, (RETRIEVERS,))
    for name in settings.search.chain:
        yield Named("search.chain", name, (RETRIEVERS,))
    for name in settings.search.together:
        yield Named("search.together", name, (RETRIEVERS,))
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
        if kind not in SUPPORTED and LOADERS.names() == tuple(LOADERS.table):  # one from outside has kinds of its own
            yield Named("A type in chunk.strategy", kind, (LOADERS,), tuple(SUPPORTED))
