from collections.abc import AsyncIterator, Mapping

import pytest
from pydantic import BaseModel, Field

from openai_server import Reply, chat, failure, serve
from rove.errors import CutReplyError, ServiceError
from rove.models.chat import PydanticChatModel
from rove.models.fake import FakeChatModel
from rove.models.typed import reply_as
from rove.settings import ChatSettings


class Found(BaseModel):
    facts: list[str] = Field(max_length=5)
    enough: bool


class Scripted:
    name = "scripted"

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.prompts: list[str] = []

    async def stream(self, instructions: str, prompt: str, *, shape: object = None) -> AsyncIterator[str]:
        self.prompts.append(prompt)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        for at in range(0, len(reply), 3):
            yield reply[at : at + 3]


WHOLE = '{"facts": ["It opened in 1908.", "新馆在一九〇八年开放。"], "enough": true}'


@pytest.mark.parametrize("reply", [WHOLE, f"Here you are:\n```json\n{WHOLE}\n```\nDone {{}}.", WHOLE[:-1]])
async def test_an_object_is_found_in_what_the_model_wrote(reply: str) -> None:
    found = await reply_as(Scripted(reply), Found, "", "")
    assert found == Found(facts=["It opened in 1908.", "新馆在一九〇八年开放。"], enough=True)


async def test_the_object_is_seen_while_it_grows() -> None:
    seen: list[Mapping[str, object]] = []
    await reply_as(Scripted(WHOLE), Found, "", "", partial=seen.append)
    assert len(seen) > 10
    assert seen[0] == {"facts": [""]} or "facts" in seen[0]
    assert seen[-1] == {"facts": ["It opened in 1908.", "新馆在一九〇八年开放。"], "enough": True}


async def test_a_wrong_shape_is_asked_for_once_more_with_what_was_wrong() -> None:
    model = Scripted('{"facts": "none"}', WHOLE)
    assert (await reply_as(model, Found, "", "the material")).enough
    assert model.prompts[0] == "the material"
    assert "facts" in model.prompts[1]


@pytest.mark.parametrize("reply", ["", "no json", "[1, 2]", "{", '{"facts": 3}', '{"facts": ["a"]', "{" * 500])
async def test_two_wrong_shapes_are_an_error(reply: str) -> None:
    with pytest.raises(ServiceError, match="Found") as caught:
        await reply_as(Scripted(reply), Found, "", "")
    assert not caught.value.retryable


class Loose(BaseModel):
    """A shape that half an object, or none, has too."""

    facts: list[str] = []


async def test_a_reply_without_end_is_cut() -> None:
    with pytest.raises(CutReplyError, match="more than 200000 characters"):
        await reply_as(Scripted('{"facts": ["' + "x" * 300_000), Loose, "", "")


class Cut(Scripted):
    async def stream(self, instructions: str, prompt: str, *, shape: object = None) -> AsyncIterator[str]:
        async for piece in super().stream(instructions, prompt, shape=shape):
            yield piece
        reason = "It was cut."
        raise CutReplyError(reason, cure="Raise chat.max_tokens.", retryable=False)


@pytest.mark.parametrize(
    "written", ["", "{", '{"facts": ["Not allowed is', '{"facts": ["a"]', '{"facts": [{"facts": []}']
)
async def test_half_an_object_of_a_reply_that_was_cut_off_never_counts(written: str) -> None:
    model, seen = Cut(written), list[Mapping[str, object]]()
    with pytest.raises(CutReplyError, match="It was cut"):
        await reply_as(model, Loose, "", "", partial=seen.append)
    assert len(model.prompts) == 1


@pytest.mark.parametrize("remark", ["", "\n```\nI hope tha", " {"])
async def test_a_whole_object_counts_whatever_is_cut_off_behind_it(remark: str) -> None:
    assert (await reply_as(Cut(WHOLE + remark), Found, "", "")).enough


async def test_the_fake_fills_any_shape_from_the_material() -> None:
    found = await reply_as(FakeChatModel(), Found, "", "⟦1\nOne hour. More.\n1⟧\n⟦2\n两小时。还有。\n2⟧")
    assert found == Found(facts=["One hour.", "两小时。"], enough=True)


def model(url: str) -> PydanticChatModel:
    return PydanticChatModel(ChatSettings(model="m", base_url=url, timeout_s=2, retries=0))


async def test_an_endpoint_is_held_to_the_schema() -> None:
    async with serve(chat(WHOLE[:20], WHOLE[20:])) as server:
        found = await reply_as(model(server.url), Found, "Say what is known.", "…")
    assert found.enough
    assert server.requests[0]["response_format"]["json_schema"]["name"] == "Found"


@pytest.mark.parametrize("refusal", [failure(400), failure(422), failure(501)])
async def test_an_endpoint_that_knows_no_schema_is_asked_without_from_then_on(refusal: Reply) -> None:
    async with serve(refusal, chat(WHOLE)) as server:
        chosen = model(server.url)
        assert (await reply_as(chosen, Found, "", "…")).enough
        assert (await reply_as(chosen, Found, "", "…")).enough
    assert ["response_format" in request for request in server.requests] == [True, False, False]


async def test_an_endpoint_that_refuses_everything_is_an_error() -> None:
    async with serve(failure(400)) as server:
        with pytest.raises(ServiceError):
            await reply_as(model(server.url), Found, "", "…")
    assert len(server.requests) == 2
