"""The fallback that searches by other words: the thesaurus' synonyms, in texts and in keyword metadata."""

from __future__ import annotations

from rove.answer.fallback import Case, FallbackContext, Rescue
from rove.question.expand import synonyms_of
from rove.question.wording import telling_words
from rove.records import Note
from rove.retrieve import Query, retrieve

NO_OTHER_WORDS = Note("no-other-words")


class SynonymFallback:
    """See `Fallback`. It needs no model; only what a synonym or a keyword in the metadata led to counts."""

    def __init__(self, context: FallbackContext) -> None:
        self._context = context

    async def rescue(self, case: Case) -> Rescue:
        """See `Fallback.rescue`."""
        synonyms = tuple(
            dict.fromkeys((*synonyms_of(case.question, self._context.thesaurus), *case.expansion.synonyms))
        )
        keywords = case.expansion.keywords or tuple(telling_words(case.question, case.language))
        query = Query(
            case.question, self._context.settings.references, case.where, keywords=keywords, synonyms=synonyms
        )
        hits = await retrieve("sparse", self._context.search_context, query)
        # What the question's own words lead to was there before, and was not near enough.
        found = [hit for hit in hits if hit.sources.keys() & {"synonyms", "metadata"}]
        return Rescue(tuple(found), note=None if found else NO_OTHER_WORDS)
