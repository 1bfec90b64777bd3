"""Answers from the facts of a walk: each checked against its source, contradictions shown, the way there kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import ParamSpec

from rove.answer.answerer import NO_MODEL, beside, refused, unheld_note, verified_notes
from rove.answer.chat import AnswerContext, write_answer
from rove.answer.cite import check_citation, marks
from rove.answer.conflict import Statement, conflicts, grouped
from rove.answer.extract import with_codes
from rove.answer.gate import GateVerdict, by_distance
from rove.answer.passages import date_of, read_once, read_parents
from rove.answer.values import holds_value, read_values, units_in
from rove.answer.word_lists import table
from rove.enrich.entities import name_keys
from rove.language.rendering import render
from rove.language.words import query_terms, terms
from rove.models import ChatModel, word_rule_of
from rove.off_loop import chars_of, off_loop
from rove.records import Answer, Chunk, Citation, Conflict, Hit, Note, PathStep, Sentence, Side
from rove.records.moment import times_field
from rove.records.walk_events import Fact

P = ParamSpec("P")

MEMORY = "memory"
UNKNOWN = "und"
STEP = "→"
"""Between the steps of a chain."""
NEWS = 0.5  # what a quote gains by bringing all the question's words that the quotes before it lack
WEAK = 0.7  # share of the first one's relevance that a further quote must reach, what it gains counted


async def answer_from_facts(
    question: str,
    facts: Sequence[Fact],
    hits: Sequence[Hit],
    *,
    language: str,
    context: AnswerContext,
    found: Sequence[Hit] = (),
    verdict: GateVerdict = GateVerdict(passes=True),  # noqa: B008 - frozen
    asked: Sequence[str] = (),
    path: Sequence[PathStep] = (),
    chain: Sequence[str] = (),
    unwritten: Note = NO_MODEL,
    absent: str = "",
) -> Answer:
    """Answer a question from facts, each cited to the exact words that it rests on.

    A chat model writes from the facts, which it is shown by their sources, numbered and fenced; what it writes is held
    against the sources themselves (`verify`). Without one, or where it fails, facts are quoted: those that `asked`
    names, and then those that leads brought and that have words of the question which these lack. Facts that
    contradict each other are both shown (`conflicts`), never weighed.

    Args:
        question: as it was asked.
        facts: what a walk has found. Those whose words are not in their source any more are left out.
        hits: the chunks that were read, in any order; a fact from another chunk brings its own words as the reference.
        language: the question's, ISO 639-1.
        context: what the answer is made with.
        found: what the question itself found. If it is too far (`by_distance`) and no model found facts, it is refused.
        verdict: whether `found` answers; if not, and no lead led further and no model found facts, it is refused.
        asked: the ids of the facts that `best_quotes` chooses of `found`, in its order: without a model these answer.
        path: how the walk came to the facts; the answer has it with `used` set.
        chain: the ids of the facts that lead to the answer, which the last one has; without a model they are it. With
            one they are where it finds none, and stand beside what it writes where they are sure and it gives other
            values.
        unwritten: why no chat model wrote the answer, where `context` has none.
        absent: what the last fact of the chain points to, which is not there: without a model, the refusal says so.

    Raises:
        ServiceError: the embedder failed. (When the chat model fails, the answer quotes and says so.)
    """
    checked = await _CheckedFacts.made(question, facts, hits, language, context, chain)
    led = {step.fact_id for step in path if step.lead}
    steps = checked.steps(chain)
    if not checked.facts:
        answer = refused(question, hits, language, Note("no-fact-bears"))
    elif steps and absent and context.chat is None:
        answer = await checked.composed(checked.pointing, steps, absent)
    elif steps and context.chat is None:
        answer = await checked.composed(checked.chained, steps, unwritten)
    elif _are_own(checked.facts, context) and (far := _far(found, verdict, led, context)):
        answer = refused(question, checked.hits, language, far)
    elif context.chat is None:
        answer = await checked.composed(checked.quoted, asked, led, unwritten)
    else:
        answer = await checked.written(context.chat, asked, led, steps, absent)
    return checked.told(answer, path)


@dataclass
class _CheckedFacts:
    """Facts whose words were checked, in the order of the chain, with the references that they are numbered by."""

    question: str
    language: str
    context: AnswerContext
    facts: list[Fact]
    citations: dict[str, Citation]
    hits: tuple[Hit, ...]
    notes: tuple[Note, ...]

    @classmethod
    async def made(
        cls,
        question: str,
        facts: Sequence[Fact],
        hits: Sequence[Hit],
        language: str,
        context: AnswerContext,
        chain: Sequence[str],
    ) -> _CheckedFacts:
        context = replace(context, text_of=read_once(context.text_of))
        sourced = [fact for fact in facts if fact.citation]
        held = [
            f
            for f in sourced
            if f.citation and check_citation(f.citation, await context.text_of(f.citation.document_id))
        ]
        ordered = _with_steps_in_order(in_chain_order(question, held, language), chain)
        references = await read_parents(_fact_references(ordered, hits), context.text_of)
        citations = {f.fact_id: _number_citation(f.citation, references) for f in ordered if f.citation}
        lost, unsourced = len(sourced) - len(held), len(facts) - len(sourced)
        counted = (("facts-lost", lost), ("facts-unsourced", unsourced))
        notes = tuple(Note(code, {"count": count}) for code, count in counted if count)
        return cls(question, language, context, ordered, citations, references, notes)

    async def written(
        self, chat: ChatModel, asked: Sequence[str], led: Collection[str], steps: Sequence[Fact], absent: str
    ) -> Answer:
        """Let the chat model write from the facts, and keep what the sources hold."""
        verified = await write_answer(self.question, self._digests(), self.hits, self.language, chat, self.context)
        if verified.holds:
            self._number(verified.hits)
            told = verified_notes(verified)
            answer = await self.composed(self._with_conflicts, chat.name, verified.text, verified.sentences, told)
            if steps and not absent and not verified.failure:
                answer = self._with_steps(answer, steps)
            return replace(answer, cut=verified.failure is not None, thoughts=verified.thoughts)
        if steps:
            if absent:
                return beside(await self.composed(self.pointing, steps, absent), verified)
            note = unheld_note(verified, chat.name) if verified.failure else Note("not-written", {"model": chat.name})
            return beside(await self.composed(self.chained, steps, note), verified)
        if verified.refused:
            note = Note("model-found-none-in-facts", {"model": chat.name})
            return refused(self.question, self.hits, self.language, note)
        return beside(await self.composed(self.quoted, asked, led, unheld_note(verified, chat.name)), verified)

    def _with_steps(self, answer: Answer, steps: Sequence[Fact]) -> Answer:
        """Return an answer with the steps of a chain beside it that is sure of other values: neither is hidden."""
        own = _short_citation(steps[-1], self.citations[steps[-1].fact_id])
        if own is None or self._agrees(answer.text, own):
            return answer
        chained = self.chained(steps, NO_MODEL, numbered=True)
        return replace(
            answer,
            text=f"{answer.text}\n\n{chained.text}",
            sentences=(*answer.sentences, *chained.sentences),
            notes=(*answer.notes, Note("steps-differ", {"model": answer.mode})),
        )

    def _agrees(self, text: str, answer: Citation) -> bool:
        """Say whether a text has every value of the words that answer; of words without one any, in one language."""
        own = self._hit_language(answer)
        if values := read_values(answer.quote, own):
            said = read_values(text, self.language)
            return all(holds_value(one, said, units_in(text)) for one in values)
        return own != self.language or not set(terms(answer.quote, own)).isdisjoint(terms(text, own))

    def _hit_language(self, citation: Citation) -> str:
        language = self.hits[citation.number - 1].chunk.language
        return language if language != UNKNOWN else self.language

    async def composed(self, compose: Callable[P, Answer], *args: P.args, **kwargs: P.kwargs) -> Answer:
        """Make an answer beside the event loop where the facts are long."""
        return await off_loop(chars_of(fact.text for fact in self.facts), compose, *args, **kwargs)

    def told(self, answer: Answer, path: Sequence[PathStep]) -> Answer:
        """Say of an answer what was left out, and how the walk came to it."""
        used = {(citation.document_id, citation.span) for citation in answer.citations}
        steps = tuple(
            replace(step, citation=self.citations.get(step.fact_id, step.citation), used=_among(step.citation, used))
            for step in path
        )
        recalled = sum(fact.origin == MEMORY and _among(fact.citation, used) for fact in self.facts)
        notes = (Note("facts-recalled", {"count": recalled}),) if recalled else ()
        return replace(answer, notes=(*answer.notes, *self.notes, *notes), path=steps)

    def quoted(self, asked: Sequence[str], led: Collection[str], note: Note) -> Answer:
        """Quote the facts that answer by themselves, then what leads brought, in the order of the chain.

        One that contradicts another is quoted beside it. See `answer_from_facts`.
        """
        by_id = {fact.fact_id: fact for fact in self.facts}
        own = [by_id[fact_id] for fact_id in asked if fact_id in by_id]
        brought = (
            [fact for fact in self.facts if fact.fact_id in led or self._bridged(fact, own)] if own else self.facts
        )
        chosen = _select_quoted_facts(self.question, brought, self.language, self.context.settings.quotes, own)
        self._number_first(chosen)
        sentences = tuple(Sentence(_fact_quote(fact), (self.citations[fact.fact_id],)) for fact in chosen)
        text = "\n\n".join(f"{s.text} {marks([c.number for c in s.citations])}" for s in sentences)
        return self._with_conflicts("extractive", text, sentences, (note,))

    def steps(self, chain: Sequence[str]) -> list[Fact]:
        """Return the facts of a chain in its order; none where one of them does not stand in its source any more."""
        by_id = {fact.fact_id: fact for fact in self.facts}
        found = [by_id[fact_id] for fact_id in chain if fact_id in by_id]
        return found if len(found) == len(chain) else []

    def chained(self, steps: Sequence[Fact], note: Note, *, numbered: bool = False) -> Answer:
        """Tell the steps in their order, each cited; the words of the last one that answer are the short answer.

        Their references become the first ones, unless all are `numbered` already.
        """
        if not numbered:
            self._number_first(steps)
        told = [fact.text if at == 0 else self._without_title(fact, steps[at - 1]) for at, fact in enumerate(steps)]
        sentences = tuple(
            Sentence(render(said).line, (self.citations[fact.fact_id],)) for said, fact in zip(told, steps, strict=True)
        )
        text = f" {STEP} ".join(f"{s.text} {marks([c.number for c in s.citations])}" for s in sentences)
        answer = Answer(self.question, text, "extractive", self.language, sentences, self.hits, (note,))
        return replace(answer, short=_short_citation(steps[-1], self.citations[steps[-1].fact_id]))

    def _without_title(self, fact: Fact, before: Fact) -> str:
        """Return what a step says, without the title of its document where the step before stands in the same."""
        hit = self._hit(fact)
        same = hit.chunk.document_id == self._hit(before).chunk.document_id
        return fact.text.removeprefix(hit.title).removeprefix(" > ").removeprefix(": ") if same else fact.text

    def pointing(self, steps: Sequence[Fact], absent: str) -> Answer:
        """Refuse, and say how far the steps led, each cited, and to what, which is not there."""
        self._number_first(steps)
        sentences = tuple(Sentence(_fact_quote(fact), (self.citations[fact.fact_id],)) for fact in steps)
        told = f" {STEP} ".join(f"“{s.text}” {marks([c.number for c in s.citations])}" for s in sentences)
        text = _in(self.language, "as_far_as").format(steps=told, lead=absent)
        return Answer(self.question, text, "refused", self.language, sentences, self.hits)

    def _bridged(self, fact: Fact, own: Sequence[Fact]) -> bool:
        """Say whether a fact has a name that these bring up and the question does not hold."""
        known = set(name_keys(self.question, self.language))
        brought = {key for one in own for key in name_keys(one.text, self.language)} - known
        return fact not in own and not brought.isdisjoint(name_keys(fact.text, self.language))

    def _number_first(self, chosen: Sequence[Fact]) -> None:
        """Number the references anew, those of the chosen facts first."""
        before = dict.fromkeys([self.citations[fact.fact_id].number for fact in (*chosen, *self.facts)])
        self._number([self.hits[number - 1] for number in before])

    def _number(self, hits: Sequence[Hit]) -> None:
        """Number the references in this order, in which each of them stands."""
        places = {id(hit): place for place, hit in enumerate(hits, 1)}
        after = {number: places[id(hit)] for number, hit in enumerate(self.hits, 1) if id(hit) in places}
        self.hits = tuple(hits)
        self.citations = {name: replace(c, number=after[c.number]) for name, c in self.citations.items()}

    def _with_conflicts(self, mode: str, text: str, sentences: Sequence[Sentence], notes: tuple[Note, ...]) -> Answer:
        cited = {(c.document_id, c.span) for sentence in sentences for c in sentence.citations}
        shown = [c for c in self._conflicts() if any(_among(side.citation, cited) for side in c.sides)]
        lines: list[str] = []
        for conflict in shown:
            lines.append(_in(self.language, "contradictions"))
            lines += [_conflict_side_line(side) for side in conflict.sides]
        told = {sentence.text for sentence in sentences}
        sides = [side.citation for conflict in shown for side in conflict.sides]
        more = [Sentence(said, (c,)) for c in dict.fromkeys(sides) if (said := render(c.quote).line) not in told]
        text = "\n\n".join(part for part in (text, "\n".join(lines)) if part)
        return Answer(
            self.question, text, mode, self.language, (*sentences, *more), self.hits, notes, conflicts=tuple(shown)
        )

    def _conflicts(self) -> list[Conflict]:
        about = with_codes(self.question, self.hits)
        facts = [fact for fact in self.facts if self._hit(fact).chunk.document_id in about]
        statements = [self._statement(fact) for fact in facts]
        return [
            Conflict(on, tuple(self._side(facts[place], said) for place, said in sorted(sides.items())))
            for on, sides in grouped(conflicts(self.question, statements))
        ]

    def _hit(self, fact: Fact) -> Hit:
        return self.hits[self.citations[fact.fact_id].number - 1]

    def _statement(self, fact: Fact) -> Statement:
        hit = self._hit(fact)
        language = self._hit_language(self.citations[fact.fact_id])
        text = fact.text if fact.origin == "model" else self.citations[fact.fact_id].quote
        above = " ".join((hit.title, *hit.chunk.headings))
        is_row = "|" in self.citations[fact.fact_id].quote
        return Statement(text, language, above, f"{hit.chunk.document_id} {above}" if is_row else "")

    def _side(self, fact: Fact, said: str) -> Side:
        return Side(said, self.citations[fact.fact_id], date_of(self._hit(fact).chunk.metadata))

    def _digests(self) -> list[Hit]:
        """The references with their facts in place of their text: what the model is shown of them."""
        shown: list[list[str]] = [[] for _ in self.hits]
        for fact in self.facts:
            citation = self.citations[fact.fact_id]
            lines = [fact.text] if citation.quote in fact.text else [fact.text, f"“{citation.quote}”"]
            shown[citation.number - 1] += [line for line in lines if line not in shown[citation.number - 1]]
        return [
            replace(hit, chunk=replace(hit.chunk, text="\n".join(lines)))
            for hit, lines in zip(self.hits, shown, strict=True)
        ]


def in_chain_order(question: str, facts: Sequence[Fact], language: str) -> list[Fact]:
    """Order facts so that each stands after those that it builds on.

    Rounds come one after the other. Within a round, next is always the fact that has the most words in common with the
    question and the facts before it, in relation to its length; ties: the more relevant one, then as they came.
    """
    ordered: list[Fact] = []
    known = set(query_terms(question, language))
    told = {fact.fact_id: set(terms(fact.text, language)) for fact in facts}
    for number in sorted({fact.round for fact in facts}):
        left = [fact for fact in facts if fact.round == number]
        while left:
            following = max(left, key=lambda fact: (_known_word_share(told[fact.fact_id], known), fact.relevance))
            left.remove(following)
            ordered.append(following)
            known |= told[following.fact_id]
    return ordered


def _with_steps_in_order(facts: Sequence[Fact], chain: Sequence[str]) -> list[Fact]:
    """Return facts with those of a chain in its order, at the places that these have."""
    steps = iter(sorted((fact for fact in facts if fact.fact_id in chain), key=lambda one: chain.index(one.fact_id)))
    return [next(steps) if fact.fact_id in chain else fact for fact in facts]


def _select_quoted_facts(
    question: str, facts: Sequence[Fact], language: str, quotes: int, own: Sequence[Fact] = ()
) -> list[Fact]:
    """Choose at most `quotes` facts to quote, in their order: the most relevant, and of like ones what says new things.

    Fewer where the rest is weak (`WEAK`). After those of the question's `own`, which are all quoted, only facts that
    have words of the question which the chosen lack.
    """
    asked = set(query_terms(question, language))
    told = {fact.fact_id: set(terms(fact.text, language)) for fact in (*own, *facts)}
    chosen = list(own)
    quoted = {fact.fact_id: _fact_quote(fact) for fact in facts}
    left: list[Fact] = list(facts)
    while left and len(chosen) - len(own) < quotes:
        open_ = asked - set[str]().union(*(told[fact.fact_id] for fact in chosen))
        left = [fact for fact in left if not own or open_ & told[fact.fact_id]]
        worth = {f.fact_id: f.relevance + NEWS * len(open_ & told[f.fact_id]) / max(len(asked), 1) for f in left}
        best = max(left, key=lambda fact: worth[fact.fact_id], default=None)
        if best is None or (chosen and worth[best.fact_id] < WEAK * chosen[0].relevance):
            break
        left = [fact for fact in left if quoted[fact.fact_id] != quoted[best.fact_id]]
        chosen.append(best)
    return [*own, *(fact for fact in facts if fact in chosen[len(own) :])]


def _fact_quote(fact: Fact) -> str:
    """Return the source's words, rendered; of a table's row what the reader made of it, each cell with its column."""
    quote = fact.citation.quote.strip() if fact.citation else ""
    return render(fact.text if fact.origin == "text" and quote.startswith("|") else quote or fact.text).line


def _short_citation(fact: Fact, citation: Citation) -> Citation | None:
    """Return the words of a fact's quote that answer; None where they are not known."""
    if fact.short is None:
        return None
    start, end = (edge - citation.span[0] for edge in fact.short)
    said = citation.quote[max(start, 0) : end]
    return replace(citation, span=fact.short, quote=said) if start >= 0 and said else None


def _known_word_share(words: set[str], known: set[str]) -> float:
    return len(words & known) / len(words) if words else 0.0


def _fact_references(facts: Sequence[Fact], hits: Sequence[Hit]) -> list[Hit]:
    """Return the chunks that the facts come from, each once, in the order of the facts."""
    by_chunk = {hit.chunk.chunk_id: hit for hit in hits}
    found: dict[str, Hit] = {}
    for citation in (fact.citation for fact in facts if fact.citation):
        hit = by_chunk.get(citation.chunk_id) or next((hit for hit in hits if _is_cited_parent(hit, citation)), None)
        hit = hit if hit and _is_cited_parent(hit, citation) else _own_words(citation)
        found.setdefault(f"{hit.chunk.chunk_id} {hit.chunk.span}", hit)
    return list(found.values())


def _is_cited_parent(hit: Hit, citation: Citation) -> bool:
    start, end = hit.chunk.parent or hit.chunk.span
    return hit.chunk.document_id == citation.document_id and start <= citation.span[0] and citation.span[1] <= end


def _own_words(citation: Citation) -> Hit:
    """Make a reference of the words that a citation quotes: where its chunk is not at hand."""
    times = times_field(citation.span, citation.time)
    chunk = Chunk(
        citation.chunk_id, citation.document_id, citation.quote, citation.span, 0, page=citation.page, metadata=times
    )
    return Hit(chunk, 0.0, uri=citation.uri, title=citation.title)


def _number_citation(citation: Citation, references: Sequence[Hit]) -> Citation:
    number = next(number for number, hit in enumerate(references, 1) if _is_cited_chunk(hit, citation))
    return replace(citation, number=number)


def _is_cited_chunk(hit: Hit, citation: Citation) -> bool:
    start, end = hit.chunk.span
    return hit.chunk.document_id == citation.document_id and start <= citation.span[0] and citation.span[1] <= end


def _are_own(facts: Sequence[Fact], context: AnswerContext) -> bool:
    """Say whether no chat model has found any of these facts."""
    origins = {"text"} if context.chat else {"text", MEMORY}
    return all(fact.origin in origins for fact in facts)


def _far(found: Sequence[Hit], verdict: GateVerdict, led: Collection[str], context: AnswerContext) -> Note | None:
    """Say why the question cannot be answered from what it found; None where it can, or a lead led further."""
    if (verdict.passes and (verdict.readings or word_rule_of(context.embedder))) or not (verdict.passes or led):
        return verdict.note
    near = by_distance(found, context.embedder, context.settings)
    return None if not found or near.passes else near.note


def _among(citation: Citation | None, cited: set[tuple[str, tuple[int, int]]]) -> bool:
    """Say whether a citation shares words with one of these."""
    return citation is not None and any(
        document_id == citation.document_id and start < citation.span[1] and citation.span[0] < end
        for document_id, (start, end) in cited
    )


def _in(language: str, name: str) -> str:
    """Return the sentence of a table in a language, in English where it has none."""
    sentences = table(name)
    return sentences.get(language.partition("-")[0].lower(), sentences["en"])


def _conflict_side_line(side: Side) -> str:
    citation = side.citation
    source = f"{citation.title or citation.uri}, {side.date}" if side.date else citation.title or citation.uri
    return f"- “{render(citation.quote).line}” ({source}) {marks([citation.number])}"
