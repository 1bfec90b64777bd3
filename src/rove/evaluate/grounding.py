"""Do the cited sources hold what an answer says? Checked by code, sentence by sentence, without any model.

Citation recall and precision follow ALCE (Gao et al., EMNLP 2023), with `rove.answer.cite.support` in place of a model
that judges entailment: terms, numbers, names, quotations and negations must agree. What rests on a source in another
language cannot be compared by words: it is counted apart, as not checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rove.answer.cite import check_citation, support, support_block
from rove.answer.claim import read_claim
from rove.answer.passages import table_head
from rove.language.rendering import render
from rove.records import Answer, Citation, Hit, Sentence

UNKNOWN_LANGUAGE = "und"


@dataclass(frozen=True, slots=True)
class Grounding:
    """One answer. Shares are 0 … 1, None where there is nothing to count (a refusal, an answer without citations).

    `recall`: sentences that their references, taken together, hold / sentences that claim something.
    `precision`: citations that are needed / citations: one is not where it holds nothing by itself, and the others of
    its sentence hold the same without it. `faithful`: sentences that the cited words alone hold / sentences that
    claim something. `unchecked`: sentences that were left out of all three.
    """

    recall: float | None
    precision: float | None
    faithful: float | None
    sentences: int
    citations: int
    unchecked: int


def score_grounding(answer: Answer) -> Grounding:
    """Check each sentence of an answer against the references that it cites, and against the words that it cites.

    Deleted sentences are not in the answer's text and do not count.
    """
    recalled: list[bool] = []
    needed: list[bool] = []
    faithful: list[bool] = []
    unchecked = 0
    for sentence in answer.sentences:
        if not sentence.kept or read_claim(sentence.text, answer.language).empty:
            continue
        if any(_foreign(citation, answer) for citation in sentence.citations):
            unchecked += 1
            continue
        hits = [hit for citation in sentence.citations if (hit := _citation_hit(citation, answer))]
        recalled.append(held_by(sentence.text, hits, answer.language))
        needed += _citation_necessity(sentence.text, hits, answer.language)
        faithful.append(_is_held_by_quotes(sentence, hits, answer.language))
    return Grounding(
        recall=_grounding_share(recalled),
        precision=_grounding_share(needed),
        faithful=_grounding_share(faithful),
        sentences=len(recalled) + unchecked,
        citations=len(needed),
        unchecked=unchecked,
    )


def exact_share(citations: Iterable[Citation], texts: Mapping[str, str]) -> float | None:
    """Return the share of citations whose quote stands in its document exactly where it says. None: no citation.

    Args:
        citations: of one answer or many.
        texts: document id → canonical text; a citation of any other document is wrong.
    """
    return _grounding_share([check_citation(citation, texts.get(citation.document_id, "")) for citation in citations])


def held_by(sentence: str, hits: Sequence[Hit], language: str) -> bool:
    """Say whether one of the references holds a sentence, or all of them together."""
    if any(_is_held_by_text(sentence, hit.chunk.text, hit, language) for hit in hits):
        return True
    together = "\n".join(hit.chunk.text for hit in hits)
    return len(hits) > 1 and support(sentence, together, language, context=_contexts(hits)) is not None


def _citation_necessity(sentence: str, hits: Sequence[Hit], language: str) -> list[bool]:
    """Say of each citation whether it is needed; of none where the sentence is not held at all."""
    if not held_by(sentence, hits, language):
        return [False] * len(hits)
    alone = [_is_held_by_text(sentence, hit.chunk.text, hit, language) for hit in hits]
    rest = [[other for other in hits if other is not hit] for hit in hits]
    return [own or not held_by(sentence, others, language) for own, others in zip(alone, rest, strict=True)]


def _is_held_by_quotes(sentence: Sentence, hits: Sequence[Hit], language: str) -> bool:
    """Say whether the cited words hold the sentence: to the letter, or one of them by its claims, or all together."""
    quotes = [citation.quote for citation in sentence.citations]
    said = " ".join(sentence.text.split())
    if any(said in {" ".join(quote.split()), render(quote).line} for quote in quotes):
        return True
    pairs = zip(quotes, hits, strict=True) if len(quotes) == len(hits) else ()
    if any(_is_held_by_text(sentence.text, quote, hit, language) for quote, hit in pairs):
        return True
    return support(sentence.text, "\n".join(quotes), language, context=_contexts(hits)) is not None


def _is_held_by_text(sentence: str, text: str, hit: Hit, language: str) -> bool:
    head = table_head(hit.chunk)
    if "\n" in sentence:
        return support_block(sentence, text, head) is not None
    return support(sentence, text, language, context=_context(hit)) is not None


def _context(hit: Hit) -> str:
    return " ".join((hit.title, *hit.chunk.headings, table_head(hit.chunk)))


def _contexts(hits: Sequence[Hit]) -> str:
    return " ".join(map(_context, hits))


def _citation_hit(citation: Citation, answer: Answer) -> Hit | None:
    return answer.hits[citation.number - 1] if 1 <= citation.number <= len(answer.hits) else None


def _foreign(citation: Citation, answer: Answer) -> bool:
    hit = _citation_hit(citation, answer)
    return (
        hit is not None
        and hit.chunk.language not in {answer.language, UNKNOWN_LANGUAGE}
        and not _verbatim(citation, answer)
    )


def _verbatim(citation: Citation, answer: Answer) -> bool:
    return answer.mode == "extractive" and bool(citation.quote)


def _grounding_share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None
