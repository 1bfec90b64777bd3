"""The base as a search needs it: its store and its embedder, without what reads, answers and walks."""

from __future__ import annotations

from rove.argument_checks import Positive
from rove.errors import check_asked
from rove.events import Listener, ignore, note, tell
from rove.instances import Instances
from rove.language.detect import detect
from rove.models import EMBEDDERS, RERANKERS, ChatModel, Embedder, LateEmbedder, chat_model
from rove.models.cache import remembering
from rove.models.judge import Judge, judge_of
from rove.plugins import check_names
from rove.records import Hit, Note
from rove.records.filter import Where, access_filter_of, as_filter
from rove.retrieve import Query, SearchContext, reranks, retrieve, usual_top_k
from rove.retrieve.rules.apply_rules import ruled, rules_of
from rove.retrieve.stand_in import StandIn
from rove.settings import Settings
from rove.store.home import home_of
from rove.store.store import Store
from rove.tracing import operation

NONE = Instances()
NAMED = 5
"""Documents that a note names at most."""


class SearchOperations:
    """The part of `AsyncRove` that opens a base and searches it. By itself it starts in a third of the time."""

    def __init__(self, settings: Settings, instances: Instances = NONE, *, create: bool = True) -> None:
        super().__init__()
        check_names(settings)
        if not create:
            home_of(settings.path).check_there()
        self.settings, self.instances = settings, instances
        self.rules = rules_of(settings.search)
        self._told = set[str]()
        """Chunks that are damaged, and of which this was said."""
        self.embedder: Embedder = remembering(
            instances.embedder or EMBEDDERS.get(settings.embedder.name)(settings.embedder)
        )
        fingerprint = self.embedder.fingerprint
        self.store = Store(
            settings.path,
            model=str(fingerprint),
            dimension=fingerprint.dimension,
            settings=settings.store,
            index=instances.index,
            also=settings.also,
        )
        self.stand_in = StandIn(settings.embedder)
        self._set_search_context()

    def chat_model(self) -> ChatModel | None:
        """The chat model that was handed in, else the one that the settings name, if any."""
        return self.instances.chat or chat_model(self.settings.chat)

    def judge(self) -> Judge | None:
        """The judge that was handed in, else the one that the settings name, if any."""
        return self.instances.judge or judge_of(self.settings.judge)

    def _set_search_context(self) -> None:
        search, late, own = self.settings.search, isinstance(self.embedder, LateEmbedder), self.instances.reranker
        self._reranks = late or bool(search.reranker or own)
        reranker = own or RERANKERS.get(search.reranker or ("late" if late else "embedder"))(
            self.embedder, self.store, self.settings.reranker
        )
        self.search_context = SearchContext(
            self.store,
            self.embedder,
            reranker,
            search,
            self.settings.question,
            self.chat_model,
            self.judge,
            self.stand_in,
        )

    async def search(
        self,
        question: str,
        *,
        top_k: Positive | None = None,
        where: Where | None = None,
        mode: str = "hybrid",
        rerank: bool | None = None,
        min_score: float | None = None,
        listener: Listener = ignore,
    ) -> list[Hit]:
        """Find chunks, best first.

        Args:
            question: what to look for, in any language.
            top_k: how many at most. None: the setting `search.top_k`, and in mode "gather" all that its five numbers
                allow. A number given here cuts what is returned, never what "gather" looks at.
            where: a filter, applied before the search: `field("year") > 2020`, or values of fields, `{"topic": "hr"}`.
            mode: "keyword", "semantic", "hybrid" (both, fused), "sparse" (keywords, also in metadata), "gather" (the
                best of both and of a reranked pool), "walk" (what that leads to by names, hop by hop, too), "graph"
                (and by what `enrich("graph")` has read), "tree" (all below a heading that the question names, too),
                "questions" (what answers it in a document), "schema" (tables that it needs), "summaries" (sections as a
                whole), "themes" (what all is about), "rewrite" (in other words too), "chain", "together", or a plug-in.
            rerank: let the reranker look at the best again ("gather" and "walk" always do); None leaves it to the mode:
                "hybrid", "tree" and what is made of them do where the embedder keeps what late interaction compares,
                which costs a few milliseconds, or where the settings name a reranker.
            min_score: hits that score less are left out. What a score means depends on the mode: in "semantic" it is
                the cosine, in "keyword" BM25, in "questions" the nearness of the two questions; reranked, a z-score.
            listener: told of fields that the filter names and no document has; without one it is a `FieldWarning`.

        Raises:
            InputError: the question is blank, or an argument is nothing that can be meant.
        """
        check_asked(question)
        top_k = usual_top_k(mode, self.settings.search, top_k)
        rerank = (reranks(mode) and self._reranks) if rerank is None else rerank
        depth = max(top_k, self.settings.search.rule_pool) if self.rules else top_k
        with operation("search", mode=mode, top_k=top_k) as searching:
            searching.show(question=question)
            found = await retrieve(mode, self.search_context, Query(question, depth, as_filter(where), rerank))
            found = [hit for hit in found if min_score is None or hit.score >= min_score]
            fields, untold = await self.store.field_names.on(as_filter(where)), self._untold(where)
            if fields or untold:
                language = detect(question)
                note(fields, listener, language)
                tell(untold, listener, language)
            return ruled(found, self.rules)[:top_k]

    def _untold(self, where: Where | None) -> list[Note]:
        """What is to be said once of the base, as far as a filter lets it be seen, and was not said yet.

        Vectors of the embedder that are not of unit length, and passages that are damaged in the catalog, as what was
        searched last has shown.
        """
        said = remembering(self.embedder).take_notes()
        if damaged := self.store.searched.damaged:
            seen = access_filter_of(as_filter(where))
            new = {one: f for one, f in damaged.items() if one not in self._told and (not seen or seen.matches(f))}
            self._told |= new.keys()
            names = sorted({repr(fields["document_id"]) for fields in new.values()})
            shown = ", ".join(names[:NAMED]) + ", …" * (len(names) > NAMED)
            said += [Note("damaged", {"count": len(new), "documents": shown})] if new else []
        return said

    async def close(self) -> None:
        """Release files and threads."""
        await self.store.close()
