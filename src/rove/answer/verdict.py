"""What can be said by code of a sentence that a chat model wrote, given the words of a source that it rests on."""

from __future__ import annotations

from rove.answer.claim import fold_spelling
from rove.language.rendering import render
from rove.language.sentences import sentence_spans

LEAST_QUOTED = 0.8  # of a source's sentence, in characters: who leaves out more may leave out what it hangs on
_CLAUSE_ENDS = ",;:，；："
_EDGES = " .,;:!?…。、，；：！？\"'()（）「」『』"


def is_quoted(sentence: str, quote: str, language: str) -> bool:
    """Say whether a sentence is the source's own words: nearly a whole sentence of it, or several, rendered.

    Of one sentence its first clauses will do.

    >>> is_quoted("The shop opens at nine.", "It is small. The shop opens at nine, daily.", "en")
    True
    >>> whole = "The shop opens when the bell has rung, at nine."
    >>> is_quoted("The shop opens.", whole, "en"), is_quoted("The shop opens when the bell has rung.", whole, "en")
    (False, True)
    """
    said = _fold_sentence_text(sentence)
    shown = render(quote).line
    spans = sentence_spans(shown, language)
    runs = [shown[spans[i][0] : spans[j][1]] for i in range(len(spans)) for j in range(i, len(spans))]
    return bool(said) and any(_is_most_of(said, held) for held in map(_fold_sentence_text, runs))


def _is_most_of(said: str, held: str) -> bool:
    if said not in held:
        return False
    return len(said) >= LEAST_QUOTED * len(held) or (
        held.startswith(said) and held[len(said) :].lstrip()[:1] in _CLAUSE_ENDS
    )


def is_same_block(block: str, quote: str) -> bool:
    """Say whether each line of a table or code block stands in the quote to the letter."""
    lines = [line.strip() for line in block.splitlines() if line.strip("|-: \t`~")]
    return bool(lines) and all(line in quote for line in lines)


def _fold_sentence_text(text: str) -> str:
    return fold_spelling(render(text).line).strip(_EDGES)
