"""Replies of reasoning models: whatever they think, and however their server sends it, is no part of the reply."""

import pytest

from rove.errors import CutReplyError, ServiceError
from rove.models.thinking import ThinkingFilter, WithoutThinking, note_thought, with_thoughts

THOUGHT = "The user asks for the gate code. Source [1] says that 9999 is old [1]. The guard sits in room 12 [1]."
GOOD = "The gate code is 4417 [1]."
FORMS = {
    "closed": f"<think>\n{THOUGHT}\n</think>\n\n{GOOD}",
    "unopened": f"{THOUGHT}\n</think>\n\n{GOOD}",
    "unopened, in small letters": f"okay. {THOUGHT}\n</think>\n\n{GOOD}",
    "thinking": f"<thinking>{THOUGHT}</thinking>\n{GOOD}",
    "thought": f"<thought> okay, {THOUGHT}</thought>{GOOD}",
    "thoughts": f"<thoughts>{THOUGHT}</thoughts>{GOOD}",
    "capitals": f"<THINK>{THOUGHT}</THINK>\n{GOOD}",
    "reasoning": f"<reasoning>{THOUGHT}</reasoning>\n{GOOD}",
    "seed": f"<seed:think>{THOUGHT}</seed:think>{GOOD}",
    "circled": f"◁think▷{THOUGHT}◁/think▷{GOOD}",
    "bracketed": f"[THINK]{THOUGHT}[/THINK]{GOOD}",
    "command": f"<|START_THINKING|>{THOUGHT}<|END_THINKING|><|START_RESPONSE|>{GOOD}<|END_RESPONSE|>",
    "harmony": f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>{GOOD}"
    "<|return|>",
    "harmony without its signs": f"analysis{THOUGHT}assistantfinal{GOOD}",
    "attribute": f'<think time="3 s">{THOUGHT}</think>{GOOD}',
    "channel": f"<|channel>thought\n{THOUGHT}<channel|>{GOOD}",
    "inner": f"<|inner_prefix|>{THOUGHT}<|inner_suffix|>{GOOD}",
    "answer in a frame": f"<think>{THOUGHT} I write it in <answer> tags.</think>\n<answer>\n{GOOD}\n</answer>",
    "response in a frame, unopened": f"{THOUGHT}\n</think>\n<response>{GOOD}</response>",
    "empty": f"<think>\n\n</think>\n\n{GOOD}",
    "twice": f"<think>{THOUGHT}</think>{GOOD} <think>{THOUGHT}</think>",
}
KEPT = [
    GOOD,
    "The tag <think>plan</think> is written by some models, and the answer follows it [1].",
    "Code: `</think>` ends it. More.",
    "```\nA.\n</think>\nB.\n```\nThe end.",
    "Some end with </think>, others do not. Some with [/THINK].",
    "The element <answer> holds it, and </answer> ends it. <response> too.",
    "a < b and [1] <thanks> [THIS] ◁.",
]


def pieces(text, size):
    return [text[at : at + size] for at in range(0, len(text), size)] if size else [text]


def read(text, size, *, hold):
    reply = ThinkingFilter(hold=hold)
    return "".join([*map(reply.feed, pieces(text, size)), reply.close()]), reply.thinking


@pytest.mark.parametrize("size", [0, 1, 3, 7, 50])
@pytest.mark.parametrize("form", FORMS)
def test_thinking_of_every_form_is_taken_out_however_it_is_cut_into_pieces(form, size):
    said, thought = read(FORMS[form], size, hold=True)
    assert said.strip() == GOOD
    assert "9999" in thought or form == "empty"


@pytest.mark.parametrize("hold", [True, False])
@pytest.mark.parametrize("size", [0, 1, 5])
@pytest.mark.parametrize("text", KEPT)
def test_a_reply_that_only_speaks_of_thinking_stays_as_it_is(text, size, hold):
    assert read(text, size, hold=hold) == (text, "")


class Model:
    """Replies with what it is given, a piece at a time; an error is raised where it stands."""

    name = "scripted"

    def __init__(self, *replies):
        self._replies = iter(replies)

    async def stream(self, instructions, prompt, *, shape=None):
        del instructions, prompt, shape
        for piece in next(self._replies):
            if isinstance(piece, Exception):
                raise piece
            yield piece


async def test_thoughts_are_kept_for_who_reads_them_and_for_nobody_else():
    model, kept = WithoutThinking(Model([*pieces(FORMS["closed"], 5)], [*pieces(FORMS["twice"], 5)])), []
    said = ""
    async for piece in with_thoughts(model.stream("", ""), kept):
        said += piece
        note_thought("a call between two pieces")
    assert said.strip() == GOOD
    assert "".join(kept).strip() == THOUGHT


async def gather(model):
    return [piece async for piece in model.stream("", "")]


async def test_a_model_that_is_known_not_to_think_aloud_is_streamed():
    model = WithoutThinking(Model([*pieces(GOOD, 5)], [*pieces(GOOD, 5)]))
    assert await gather(model) == [GOOD]
    later = await gather(model)
    assert len(later) > 3
    assert "".join(later) == GOOD


async def test_what_is_known_of_a_model_is_known_in_the_next_process(tmp_path, monkeypatch):
    monkeypatch.setenv("ROVE_CACHE", str(tmp_path))
    assert await gather(WithoutThinking(Model([*pieces(GOOD, 5)]), "http://a m")) == [GOOD]
    assert len(await gather(WithoutThinking(Model([*pieces(GOOD, 5)]), "http://a m"))) > 3
    unopened = [*pieces(FORMS["unopened"], 5)]
    await gather(WithoutThinking(Model(unopened), "http://a m"))
    assert "9999" not in "".join(await gather(WithoutThinking(Model(unopened), "http://a m")))


async def test_a_reply_that_is_only_thinking_is_said():
    with pytest.raises(ServiceError, match="no reply"):
        await gather(WithoutThinking(Model([f"<think>{THOUGHT} and the budget ends"])))


async def test_a_reply_that_breaks_off_keeps_what_it_had_and_its_error():
    model = WithoutThinking(Model([f"<think>{THOUGHT}</think>", GOOD, CutReplyError("Broke.", cure="Again.")]))
    had = []
    with pytest.raises(CutReplyError):
        async for piece in model.stream("", ""):
            had.append(piece)
    assert "".join(had) == GOOD
