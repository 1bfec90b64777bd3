"""What every chat model promises: text in pieces, objects of a shape, and no mixing of what is asked at one time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest
from pydantic import BaseModel

from rove.errors import CutReplyError, ServiceError
from rove.models import CHAT_MODELS, ChatModel
from rove.models.typed import reply_as
from rove.models.usage import metered
from rove.settings import ChatSettings
from rove.testing.contract import Contract, waited
from rove.testing.samples import ODD_TEXTS, TEXTS

INSTRUCTIONS = "Answer from the references, and cite each sentence as [1]."


class SampleReply(BaseModel):
    """A shape with every kind of field that Rove asks for."""

    enough: bool = False
    missing: str = ""
    grades: list[int] = []


def references(*texts: str) -> str:
    """Return a prompt with numbered references, fenced as Rove fences them."""
    return "\n\n".join(f"⟦{number}\n{text}\n{number}⟧" for number, text in enumerate(texts, 1))


class ChatModelContract(Contract):
    """Inherit it, and give `name`, or `make`; `make_cut` where that can be had.

    `counted`: it says what it has used up, by `rove.models.usage.account`, so that budgets of walks hold.
    """

    registry = CHAT_MODELS
    counted = True

    def make(self) -> ChatModel:
        """Return the chat model."""
        return self.registered()(ChatSettings(model=self.name))

    def make_cut(self) -> ChatModel | None:
        """Return one whose replies are cut off, by `chat.max_tokens` for example; None where there is none."""
        return None

    async def reply(self, model: ChatModel, prompt: str) -> str:
        """Return the whole reply; every piece of it is text."""
        pieces = [piece async for piece in model.stream(INSTRUCTIONS, prompt)]
        assert all(type(piece) is str for piece in pieces)
        return "".join(pieces)

    @waited
    async def test_it_writes_text_and_has_a_name(self) -> None:
        """The reply comes in pieces of text that can be kept; the name is what answers are signed with."""
        model = self.make()
        assert model.name.strip()
        assert (await self.reply(model, references(*TEXTS.values()))).strip()
        assert await self.reply(model, references(TEXTS["ja"]))

    @waited
    async def test_odd_prompts_are_answered_or_refused_in_its_own_words(self) -> None:
        """No prompt makes it fail but by a `ServiceError`."""
        model = self.make()
        for text in ODD_TEXTS:
            try:
                (await self.reply(model, references(text))).encode("utf-8")
            except ServiceError as error:
                assert error.cure

    @waited
    async def test_an_object_of_a_shape_or_a_typed_refusal(self) -> None:
        """Asked for a shape it writes JSON of it, or `reply_as` says that it cannot."""
        try:
            said = await reply_as(self.make(), SampleReply, 'Reply as {"enough": true}.', references(*TEXTS.values()))
        except ServiceError as error:
            assert error.cure
        else:
            assert isinstance(said, SampleReply)

    @waited
    async def test_calls_at_the_same_time_do_not_mix(self) -> None:
        """Several are asked of one model at once: each reply is what it would be alone."""
        model, prompts = self.make(), [references(text) for text in TEXTS.values()]
        alone = [await self.reply(model, prompt) for prompt in prompts]
        assert await asyncio.gather(*(self.reply(model, prompt) for prompt in prompts)) == alone

    @waited
    async def test_a_reply_can_be_left_before_its_end(self) -> None:
        """Whoever has heard enough closes the stream; the next reply is whole."""
        model = self.make()
        stream = model.stream(INSTRUCTIONS, references(*TEXTS.values()))
        assert await anext(stream)
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
        assert await self.reply(model, references(TEXTS["en"]))

    @waited
    async def test_a_reply_that_is_cut_off_is_an_error_after_its_last_piece(self) -> None:
        """What was written is handed on, and is not taken for whole."""
        model, pieces = self.make_cut(), list[str]()
        if model is None:
            pytest.skip("no `make_cut`")
        with pytest.raises(CutReplyError) as cut:
            async for piece in model.stream(INSTRUCTIONS, references(*TEXTS.values())):
                pieces.append(piece)
        assert "".join(pieces).strip()
        assert cut.value.cure

    @waited
    async def test_what_it_uses_is_counted(self) -> None:
        """Requests and tokens are told as they are used up."""
        with metered() as meter:
            await self.reply(self.make(), references(*TEXTS.values()))
        assert not self.counted or meter.usage.requests == 1
        assert not self.counted or meter.usage.input_tokens > 0
