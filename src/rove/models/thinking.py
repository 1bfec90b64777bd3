"""What a reasoning model thinks before it replies, in whatever form its server leaves it, is no part of the reply."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from contextvars import ContextVar
from hashlib import sha256

from pydantic import BaseModel

from rove.cached import cached, drop_cached
from rove.errors import ServiceError
from rove.models import ChatModel

_NAMES = r"(?:[a-z]{1,12}:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|scratchpad)"
_OPENING = re.compile(
    rf"<{_NAMES}(?: [^<>]{{1,80}})?>|\[THINK\]|◁think▷|<\|(?:begin_of_thought|START_THINKING|inner_prefix)\|>"
    r"|<\|channel>(?!final)[a-z]{1,20}\n"
    r"|(?:<\|start\|>assistant)?<\|channel\|>(?!final)[^<]{1,80}<\|message\|>",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    rf"</{_NAMES}>|\[/THINK\]|◁/think▷|<\|(?:end_of_thought|END_THINKING|inner_suffix)\|>|<\|(?:end|call)\|>"
    r"|<channel\|>|assistantfinal",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"(?:<\|start\|>assistant)?<\|channel\|>final[^<]{0,80}<\|message\|>|<\|(?:return|end)\|>"
    r"|<\|(?:begin|end)_of_solution\|>|<\|(?:START|END)_RESPONSE\|>",
    re.IGNORECASE,
)
_ANSWER = re.compile("</?(?:answer|response)>", re.IGNORECASE)  # a frame where the reply begins with it
_TAG = re.compile("|".join(one.pattern for one in (_FRAME, _ANSWER, _OPENING, _CLOSING)), re.IGNORECASE)
_BEGUN = re.compile(  # may become a tag
    r"(?:<|\[|◁)[^\s>\]▷]{0,24}\Z|<\|(?:start|channel)\|?>[^\n]{0,110}\Z|(?:\A|[.!?\])])[a-z]{1,13}\Z"
    rf"|(?i:<{_NAMES}) [^<>]{{0,80}}\Z"
)
_ENDS = frozenset(".!?。！？…:：])}】」』\"”'’*_>▷|")  # of a sentence, a citation or what is marked
_GOES_ON = re.compile(r"[ \t]*[,;、，.)\]]|[ \t]+[a-z]")  # behind a closing tag: the sentence speaks of the tag
PAUSE_S = 5.0
LONGEST_TAG = 160  # characters
LOOK_BEHIND = 4000  # characters
_UNOPENED, _OPENED = b"unopened", b"opened or none"
ONLY_THINKING = "{model} wrote what it thinks, and no reply."
ONLY_THINKING_CURE = "Raise chat.max_tokens, or tell the model's server to think less."


_thoughts: ContextVar[list[str] | None] = ContextVar("_thoughts", default=None)


async def with_thoughts(stream: AsyncIterator[str], kept: list[str]) -> AsyncGenerator[str]:
    """Yield what a stream yields; what the model thinks before each piece goes into `kept`."""
    while True:
        token = _thoughts.set(kept)
        try:
            piece = await anext(stream, None)
        finally:
            _thoughts.reset(token)
        if piece is None:
            return
        yield piece


def note_thought(text: str) -> None:
    """Keep what a model thinks, where someone reads it `with_thoughts`."""
    if text and (kept := _thoughts.get()) is not None:
        kept.append(text)


class ThinkingFilter:
    r"""Takes thinking out of a reply while it is written. `hold`: nothing is given before it is sure to be no thinking.

    Thinking opens where the reply, a line or a sentence begins, and ends at its closing tag. A closing tag without an
    opening one (many servers write the opening one into the prompt) makes thinking of all before it, which can only be
    held back with `hold`. A tag within a sentence, in code or in quotation marks is the reply's own.

    >>> seen = ThinkingFilter()
    >>> seen.feed("<think>Let me"), seen.feed(" see.</think>\nBlue."), seen.close(), seen.thinking
    ('', 'Blue.', '', 'Let me see.')
    >>> held = ThinkingFilter(hold=True)
    >>> held.feed("Let me see.\n</think>\n"), held.feed("Blue."), held.close(), held.unopened
    ('', 'Blue.', '', True)
    """

    def __init__(self, *, hold: bool = False) -> None:
        self.unopened = False
        self._hold = hold
        self._inside = False
        self._framed = False
        self._thought: list[str] = []
        self._news: list[str] = []  # of the reply, not handed on yet
        self._tail = ""  # the reply's last characters
        self._waiting = ""  # what may become a tag, or is one that what follows decides about

    @property
    def thinking(self) -> str:
        """What was taken out so far."""
        return "".join(self._thought)

    def feed(self, piece: str) -> str:
        """Return what the next piece adds to the reply."""
        self._take(self._waiting + piece, last=False)
        return "" if self._hold else self._given()

    def release(self) -> str:
        """Hold nothing back any more, and return what was held."""
        self._hold = False
        return self._given()

    def close(self) -> str:
        """Return what is left of the reply, which has come to its end."""
        self._take(self._waiting, last=True)
        return self._given()

    def _given(self) -> str:
        news, self._news = "".join(self._news), []
        return news

    def _take(self, text: str, *, last: bool) -> None:
        at = 0
        for tag in _TAG.finditer(text):
            self._add(text[at : tag.start()])
            at = tag.start()
            if not last and tag.end() == len(text) and not self._inside and self._tail:
                break
            self._read(tag[0], text[tag.end() : tag.end() + 2])
            at = tag.end()
        else:
            begun = None if last else _BEGUN.search(text, max(at, len(text) - LONGEST_TAG))
            until = begun.start() if begun else len(text)
            self._add(text[at:until])
            at = until
        self._waiting = text[at:]

    def _add(self, text: str) -> None:
        if self._inside:
            self._thought.append(text)
        elif text := text if self._tail else text.lstrip():
            self._news.append(text)
            self._tail = (self._tail + text)[-LOOK_BEHIND:]

    def _read(self, tag: str, following: str) -> None:
        """Take a tag for what it is here: the end or the beginning of thinking, a frame, or words of the reply."""
        opens = _OPENING.fullmatch(tag)
        frames = self._frames_answer(tag) if (answer := _ANSWER.fullmatch(tag)) else _FRAME.fullmatch(tag)
        if answer and not frames:
            self._add(tag)
        elif self._inside:
            self._inside = bool(opens)
        elif self._speaks_of_tags() or not (opens or frames or not _GOES_ON.match(following)):
            self._add(tag)
        elif frames:
            return
        elif not self._has_ended():
            self._add(tag)
        elif opens:
            self._inside, self._hold = True, self._hold and bool(self._tail)
        else:
            self._thought += self._news
            self.unopened, self._hold, self._news, self._tail = True, False, [], ""

    def _frames_answer(self, tag: str) -> bool:
        """Say whether the tag is the beginning of the whole reply, or the end of one that began so."""
        opens = not self._inside and not self._tail and tag[1] != "/"
        self._framed = self._framed or opens
        return opens or (self._framed and not self._inside and tag[1] == "/")

    def _has_ended(self) -> bool:
        """Say whether a sentence, a citation or a line of the reply ends here."""
        said = self._tail.rstrip()
        return not said or said[-1] in _ENDS or "\n" in self._tail[len(said) :]

    def _speaks_of_tags(self) -> bool:
        """Say whether the reply is amid code."""
        line = self._tail.rpartition("\n")[2]
        return line.count("`") % 2 == 1 or self._tail.count("```") % 2 == 1


class WithoutThinking:
    """A chat model whose replies have no thinking in them. See `ChatModel`.

    The first reply of a model is held back until it ends, or pauses for `PAUSE_S`: only its end shows whether the model
    thinks without an opening tag. That is remembered, for the next process too where `place` names the model for good.
    """

    def __init__(self, chat: ChatModel, place: str = "") -> None:
        self._chat = chat
        self._file = f"thinks-{sha256(place.encode()).hexdigest()[:16]}" if place else ""
        self._unopened = _has_unopened_thinking(self._file)

    def __repr__(self) -> str:
        return f"WithoutThinking({self._chat!r})"

    @property
    def name(self) -> str:
        """See `ChatModel.name`."""
        return self._chat.name

    async def stream(
        self, instructions: str, prompt: str, *, shape: type[BaseModel] | None = None
    ) -> AsyncGenerator[str]:
        """See `ChatModel.stream`.

        Raises:
            ServiceError: also where the model has only thought.
        """
        holds = self._unopened is not False
        reply = ThinkingFilter(hold=holds)
        empty = True
        stream = self._chat.stream(instructions, prompt, shape=shape)
        try:
            async with aclosing(_or_none_at_pauses(stream) if holds else _stream_as_generator(stream)) as pieces:
                async for piece in pieces:
                    if news := reply.release() if piece is None else reply.feed(piece):
                        empty = False
                        yield news
        except ServiceError:
            rest = reply.close()
            note_thought(reply.thinking)
            if rest:
                yield rest
            raise
        finally:
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()
        rest = reply.close()
        note_thought(reply.thinking)
        if rest:
            yield rest
        elif empty and reply.thinking:
            raise ServiceError(ONLY_THINKING.format(model=self.name), cure=ONLY_THINKING_CURE, retryable=False)
        self._learn(unopened=reply.unopened)

    def _learn(self, *, unopened: bool) -> None:
        """Remember what a whole reply has shown; that a model has once thought so is never forgotten."""
        if self._unopened or self._unopened == unopened:
            return
        self._unopened = unopened
        if self._file:
            drop_cached(self._file)
            cached(self._file, lambda: _UNOPENED if unopened else _OPENED)


async def _or_none_at_pauses(stream: AsyncIterator[str]) -> AsyncGenerator[str | None]:
    """Yield what a stream yields, and None whenever that takes longer than `PAUSE_S`."""
    following: asyncio.Task[str | None] | None = None
    try:
        while True:
            following = asyncio.ensure_future(_piece_after(stream))
            while not (await asyncio.wait({following}, timeout=PAUSE_S))[0]:
                yield None
            if (piece := following.result()) is None:
                return
            yield piece
    finally:
        if following is not None and following.cancel():
            with suppress(asyncio.CancelledError):
                await following


async def _stream_as_generator(stream: AsyncIterator[str]) -> AsyncGenerator[str | None]:
    async for piece in stream:
        yield piece


async def _piece_after(stream: AsyncIterator[str]) -> str | None:
    return await anext(stream, None)


def _has_unopened_thinking(file: str) -> bool | None:
    """Return whether a model thinks without an opening tag; None where that is not known."""
    with suppress(LookupError):
        return cached(file, _unknown) == _UNOPENED if file else None
    return None


def _unknown() -> bytes:
    raise LookupError
