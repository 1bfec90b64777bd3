"""Whether what was found is enough: a model is asked, or the words of the question are looked for in the facts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from pydantic import BaseModel, Field

from rove.language.cue_words import asking_spans
from rove.language.scripts import is_unspaced
from rove.language.words import query_terms, terms
from rove.models import ChatModel
from rove.models.prompts import FENCES, fence_material, fill, prompt
from rove.models.typed import reply_as
from rove.question.wording import ASKING, telling_words
from rove.records import Note
from rove.records.note import notes_text
from rove.records.walk_events import Fact, Judged
from rove.walk import EXTRACTIVE, RecalledFacts
from rove.walk.state import State

SHOWN = 24  # facts that the model is shown, the most relevant first
HALF = 0.5  # share of the question's terms that must be somewhere, for its words to tell whether it is enough
CLEAR = 0.5  # relevance of the best fact, at least
SURE = 0.9
"""How surely a passage answers that no step led to, for the first round to be the last."""
SURE_CHAIN = 0.99
"""How surely a chain answers, for the walk to end with it, and for its words to be set off as the answer."""
MEMORY = "memory"
"""Who judges that what earlier walks have found is enough."""
NO_FACT = Note("no-fact")
FAR = Note("facts-too-far")
ANSWERED = Note("fact-answers")
UNANSWERED = Note("no-fact-answers")
SETTLED = Note("asked-before")
STEPS_OPEN = Note("steps-open")


class Verdict(BaseModel):
    """What the model is asked for."""

    enough: bool
    missing: str = Field(default="", max_length=300)
    reason: str = Field(default="", max_length=300)


async def judged_by_model(chat: ChatModel, state: State) -> Judged:
    """Ask the model whether the facts hold everything that the question needs.

    Raises:
        ServiceError: see `reply_as`.
    """
    ranked = sorted(state.facts, key=lambda fact: -fact.relevance)[:SHOWN]
    facts = "\n".join(fence_material(fact.text, str(number)) for number, fact in enumerate(ranked, 1))
    slots = {"facts": facts, "question": " ".join(state.question.translate(FENCES).split())}
    verdict = await reply_as(chat, Verdict, prompt("rove.walk", "judge"), fill(prompt("rove.walk", "facts"), slots))
    judged = Judged(state.round, verdict.enough, chat.name, verdict.reason, "" if verdict.enough else verdict.missing)
    return replace(judged, enough=False, notes=(STEPS_OPEN,)) if verdict.enough and _is_too_early(state) else judged


def _is_too_early(state: State) -> bool:
    """Say whether one more round is walked though a model finds it enough: small ones do so at the first step.

    It is where facts point to places that were not looked at, no chain has surely arrived, and it was not done before.
    """
    points = any(lead.document_id for lead in state.open_leads)
    return points and not answered(state) and not any(STEPS_OPEN in one.notes for one in state.verdicts)


def judged_by_text(state: State, unknown: Collection[str] = ()) -> Judged:
    """Say that it is enough when a clear fact was found, and the facts hold every telling word of the question.

    `unknown`: those that are nowhere to be found, if at most half of all (`HALF`), count as if they were not asked.
    Names of people and things that the question does not hold yet are not its words: a walk without a model goes on
    for a round where it might have stopped, rather than stop where it should have gone on.
    """
    if not state.facts:
        return judged_as(state, [NO_FACT], missing=state.question)
    lacking = uncovered(state.question, state.facts, state.language)
    missing = {term: word for term, word in lacking.items() if term not in unknown}
    asked = len(terms_with_words(state.question, state.language))
    count = len(lacking) - len(missing)
    notes = [Note("words-held", {"share": 1 - len(lacking) / asked if asked else 1.0})]
    notes += [Note("words-nowhere", {"count": count})] if count else []
    best = max(fact.relevance for fact in state.facts)
    enough = not missing and count <= HALF * asked and best >= CLEAR
    said = " ".join(dict.fromkeys(_term_for_display(term, word, state.language) for term, word in missing.items()))
    return judged_as(state, notes, enough=enough, missing=said)


def judged_as(state: State, notes: Sequence[Note], *, enough: bool = False, missing: str = "") -> Judged:
    """Return what rules say of the round, and why in the language of the question."""
    reason = notes_text(notes, state.language)
    return Judged(state.round, enough, EXTRACTIVE, reason, missing, tuple(notes))


def answered(state: State) -> bool:
    """Say whether a fact answers, as the judge says, given the facts that led to it."""
    best = max(state.facts, key=lambda fact: fact.answers, default=None)
    return best is not None and best.answers >= (SURE_CHAIN if best.lead_id else CLEAR if state.round > 1 else SURE)


def judged_by_chain(state: State) -> Judged:
    """Say that it is enough where a fact answers; the share of the question's words says nothing of that."""
    if not state.facts:
        return judged_as(state, [NO_FACT], missing=state.question)
    if answered(state):
        return judged_as(state, [ANSWERED], enough=True)
    return judged_as(state, [UNANSWERED], missing=state.question)


def judged_from_memory(state: State, recalled: RecalledFacts, unknown: Collection[str] = ()) -> Judged | None:
    """Say that what is remembered is enough, before anything is searched for; None where it may not be.

    It is where the same was asked before, or, without a chat model, where it would be if it had been found now. A base
    that has changed since may hold more, or something else.
    """
    if recalled.settled:
        return replace(judged_as(state, [SETTLED], enough=True), by=MEMORY)
    if recalled.fresh and state.mode == EXTRACTIVE and (verdict := judged_by_text(state, unknown)).enough:
        return replace(verdict, by=MEMORY)
    return None


def terms_with_words(question: str, language: str) -> dict[str, str]:
    """Return the terms of the telling words of a question, in their order, each with its word.

    The words that ask ("how many") are not among them. Of words of unspaced scripts the pairs of characters, of one
    character itself; where no word tells anything, all.

    >>> terms_with_words("Who approves it, and for how many desks?", "en")
    {'approv': 'approves', 'desk': 'desks'}
    >>> terms_with_words("誰が何日で承認しますか", "ja")
    {'承認': '承認'}
    """
    bare = question
    for start, end in asking_spans(question, language):
        bare = bare[:start] + " " * (end - start) + bare[end:]
    words = [word.lstrip(ASKING) if language == "ja" else word for word in telling_words(bare, language)]
    found: dict[str, str] = {}
    for word in [word for word in words if word] or [question]:
        own = query_terms(word, language)
        pairs = [term for term in own if len(term) > 1 or not is_unspaced(term)]
        found |= {term: word for term in pairs or own if term not in found}
    return found


def uncovered(question: str, facts: Sequence[Fact], language: str) -> dict[str, str]:
    """Return the telling terms of a question that no fact holds. See `terms_with_words`.

    Of a longer word of an unspaced script, a pair is held where both characters are: it may reach over a word's end.

    >>> uncovered("Who founded Acme in Paris?", [Fact("f", "Acme was founded by Ada.", 1.0, 1)], "en")
    {'pari': 'Paris'}
    """
    held = {term for fact in facts for term in terms(fact.text, language)}

    def is_held(term: str, word: str) -> bool:
        return term in held or (is_unspaced(term) and len(word) > len(term) and held.issuperset(term))

    asked = terms_with_words(question, language)
    return {term: word for term, word in asked.items() if not is_held(term, word)}


def _term_for_display(term: str, word: str, language: str) -> str:
    """Return how a term is named to the user: by its word, which in Chinese is not told from its neighbours."""
    return term if is_unspaced(term) and language != "ja" else word
