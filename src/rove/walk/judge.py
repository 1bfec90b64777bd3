"""Whether what was found is enough: a model is asked, or the words of the question are looked for in the facts."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from pydantic import BaseModel, Field

from rove.language.words import query_terms, terms
from rove.models import ChatModel
from rove.models.prompts import FENCES, fenced, fill, prompt
from rove.models.typed import reply_as
from rove.records.walk import Fact, Judged
from rove.walk import EXTRACTIVE, Recalled
from rove.walk.state import State

SHOWN = 24  # facts that the model is shown, the most relevant first
HALF = 0.5  # share of the question's terms that must be somewhere, for its words to tell whether it is enough
CLEAR = 0.5  # relevance of the best fact, at least
WORD = re.compile(r"\w+")
MEMORY = "memory"
"""Who judges that what earlier walks have found is enough."""
NO_FACT = "No fact was found."
HELD = "The facts hold {share:.0%} of the question's words."
UNHELD = "{count} of them are nowhere to be found."
SETTLED = "The same was asked before, and nothing has changed."


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
    facts = "\n".join(fenced(fact.text, str(number)) for number, fact in enumerate(ranked, 1))
    slots = {"facts": facts, "question": " ".join(state.question.translate(FENCES).split())}
    verdict = await reply_as(chat, Verdict, prompt("rove.walk", "judge"), fill(prompt("rove.walk", "facts"), slots))
    return Judged(state.round, verdict.enough, chat.name, verdict.reason, "" if verdict.enough else verdict.missing)


def judged_by_text(state: State, unheld: Collection[str] = ()) -> Judged:
    """Say that it is enough when a clear fact was found, and the facts hold every telling word of the question.

    `unheld`: those that are nowhere to be found, if at most half of all (`HALF`), count as if they were not asked.
    Names of people and things that the question does not hold yet are not its words: a walk without a model goes on
    for a round where it might have stopped, rather than stop where it should have gone on.
    """
    if not state.facts:
        return Judged(state.round, enough=False, by=EXTRACTIVE, reason=NO_FACT, missing=state.question)
    lacking = uncovered(state.question, state.facts, state.language)
    missing = [term for term in lacking if term not in unheld]
    asked = len(set(query_terms(state.question, state.language)))
    count = len(lacking) - len(missing)
    reason = HELD.format(share=1 - len(lacking) / asked if asked else 1.0)
    reason = f"{reason} {UNHELD.format(count=count)}" if count else reason
    best = max(fact.relevance for fact in state.facts)
    enough = not missing and count <= HALF * asked and best >= CLEAR
    said = " ".join(in_words(missing, state.question, state.language))
    return Judged(state.round, enough, EXTRACTIVE, reason, said)


def judged_from_memory(state: State, recalled: Recalled, unheld: Collection[str] = ()) -> Judged | None:
    """Say that what is remembered is enough, before anything is searched for; None where it may not be.

    It is where the same was asked before, or, without a chat model, where it would be if it had been found now. A base
    that has changed since may hold more, or something else.
    """
    if recalled.settled:
        return Judged(state.round, enough=True, by=MEMORY, reason=SETTLED)
    if recalled.fresh and state.mode == EXTRACTIVE and (verdict := judged_by_text(state, unheld)).enough:
        return replace(verdict, by=MEMORY)
    return None


def in_words(wanted: Sequence[str], question: str, language: str) -> list[str]:
    """Return terms as the words of the question that they come from; those of unspaced scripts as they are.

    >>> in_words(["approv", "sinc"], "Who approves it, and since when?", "en")
    ['approves', 'since']
    """
    words = {
        term: word
        for word in reversed(WORD.findall(question))
        if len(found := terms(word, language)) == 1
        for term in found
    }
    return [words.get(term, term) for term in wanted]


def uncovered(question: str, facts: Sequence[Fact], language: str) -> list[str]:
    """Return the telling terms of a question that no fact holds, in their order.

    >>> uncovered("Who founded Acme in Paris?", [Fact("f", "Acme was founded by Ada.", 1.0, 1)], "en")
    ['pari']
    """
    held = {term for fact in facts for term in terms(fact.text, language)}
    return [term for term in dict.fromkeys(query_terms(question, language)) if term not in held]
