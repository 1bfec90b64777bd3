"""The markdown of `rove.language.markdown`, each token with its span in the text that it was made of.

markdown-it-py knows the lines of blocks, and nothing of the places within a line. Here every token within a line has
`meta["span"]`, its span in the content of its block; of an image's caption, in the caption.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from rove.language.markdown import Parser, with_rules

SPAN = "span"


def parse_traced(text: str) -> list[Token]:
    """Return the tokens of a text; the text has no carriage returns. Pieces of text are not joined."""
    return _build_traced_parser().parse(text)


@cache
def _build_traced_parser() -> MarkdownIt:
    parser = Parser("commonmark").enable("table").disable("text_join")
    traced = _TracedInline()
    traced.ruler.enableOnly(parser.inline.ruler.get_active_rules())
    traced.ruler2.enableOnly(parser.inline.ruler2.get_active_rules())
    traced.ruler2.at("fragments_join", _drop_empty)  # joined, they would lose their places
    parser.inline = traced
    return with_rules(parser)


class _TracedState(StateInline):
    """Knows where the text began that is not a token yet: it is always a literal piece of the source."""

    began = 0

    def pushPending(self) -> Token:
        token = super().pushPending()
        token.meta[SPAN] = (self.began, self.began + len(token.content))
        return token


class _TracedInline(ParserInline):
    """Applies the rules as `ParserInline` does, and notes what each has taken."""

    def tokenize(self, state: StateInline) -> None:
        rules, deepest = self.ruler.getRules(""), state.md.options["maxNesting"]
        while state.pos < state.posMax:
            at, known = state.pos, len(state.tokens)
            if not state.pending and isinstance(state, _TracedState):
                state.began = at
            if state.level < deepest and any(rule(state, False) for rule in rules):
                _assign_token_spans(state.tokens[known:], at, state.pos)
            else:
                state.append_pending(state.src[at])
                state.pos += 1
        if state.pending:
            state.pushPending()

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        state = _TracedState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def _assign_token_spans(tokens: Sequence[Token], start: int, end: int) -> None:
    """Give its span to each token that a rule made of the characters from `start` to `end`; inner ones have theirs."""
    made = [token for token in tokens if SPAN not in token.meta]
    signs = len(made) == end - start and all(token.type == "text" and len(token.content) == 1 for token in made)
    for number, token in enumerate(made):
        if signs:  # of emphasis: each a token
            token.meta[SPAN] = (start + number, start + number + 1)
        elif token.type == "text":  # between the angle brackets of an address
            token.meta[SPAN] = (start + 1, end - 1)
        else:
            token.meta[SPAN] = (start, end)


def _drop_empty(state: StateInline) -> None:
    state.tokens[:] = [token for token in state.tokens if token.type != "text" or token.content]
