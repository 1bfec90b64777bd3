"""What chat front-ends ask for themselves: by their prompts, in short, and the forms of JSON that they want."""

from __future__ import annotations

import json
from typing import Any

import openai
import pytest

from rove.records import History, Turn
from rove.serve.openai.front_ends import Spoken, asked_in, reply_to, title_of
from serve.conftest import PUBLIC, Opener, Town, listening
from serve.test_serve_openai import QUESTION, client_of

CHAT = (
    f"<chat_history>\nUSER: {QUESTION}\nSecond line.\nASSISTANT: {PUBLIC} [1]\nUSER: And travel costs?\n</chat_history>"
)


def task(what: str, form: str) -> str:
    """A prompt as Open WebUI makes it."""
    output = f"### Output:\nJSON format: {form}"
    return f"### Task:\n{what}\n\n### Guidelines:\n- Be brief.\n\n{output}\n\n### Chat History:\n{CHAT}"


TASKS = {
    "title": (task("Generate a concise title summarizing the chat history.", '{ "title": "your concise title here" }'),
              {"title": "Who approves remote work"}),
    "title, older": (task("Generate a concise, 3-5 word title with an emoji.", '{ "title": "your title" }'),
                     {"title": "Who approves remote work"}),
    "tags": (task("Generate 1-3 broad tags categorizing the main themes.", '{ "tags": ["tag1", "tag2", "tag3"] }'),
             {"tags": ["approves", "remote", "work"]}),
    "follow-ups": (task("Predict 3-5 useful messages this user might send next.", '{ "follow_ups": ["One", "Two"] }'),
                   {"follow_ups": []}),
    "queries": (task("Determine the necessity of search queries.", '{\n  "queries": ["query1", "query2"]\n}'),
                {"queries": ["And travel costs?"]}),
    "picture": (task("Generate a detailed prompt for an image.", '{\n    "prompt": "Your description."\n}'),
                {"prompt": "And travel costs?"}),
    "completion": (task("You are an autocompletion system.", '`{ "text": "<your_completion>" }`'), {"text": ""}),
}  # fmt: skip
TITLES = {
    "LibreChat": "Provide a concise, 5-word-or-less title for the conversation, using title case conventions. "
    f"Only return the title itself.\n\nConversation:\nUser: {QUESTION}\nAI: {PUBLIC}",
    "LibreChat, structured": "Analyze this conversation and provide:\n1. The detected language of the conversation\n"
    f"2. A concise title in the detected language (5 words or less)\n\nUser: {QUESTION}\nAI: {PUBLIC}",
}


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("stream", [False, True])
async def test_open_webui_gets_the_json_that_it_wants(town: Town, name: str, stream: bool) -> None:
    prompt, wanted = TASKS[name]
    said, note = await ask(town, [{"role": "user", "content": prompt}], stream=stream)
    assert json.loads(said) == wanted
    assert "front-end" in note


@pytest.mark.parametrize("name", TITLES)
async def test_librechat_gets_a_title(town: Town, name: str) -> None:
    said, _ = await ask(town, [{"role": "user", "content": TITLES[name]}])
    assert said == "Who approves remote work"


async def test_a_schema_for_a_title_is_filled(town: Town) -> None:
    schema = {"type": "object", "properties": {"language": {"type": "string"}, "title": {"type": "string"}}}
    form = {"type": "json_schema", "json_schema": {"name": "title", "schema": schema}}
    asked = [{"role": "user", "content": TITLES["LibreChat, structured"]}]
    said, _ = await ask(town, asked, response_format=form)
    assert json.loads(said) == {"language": "English", "title": "Who approves remote work"}


async def test_nextchat_gets_a_title_of_what_was_said_before(town: Town) -> None:
    last = "Please generate a four to five word title summarizing our conversation without any lead-in."
    before = [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": PUBLIC}]
    assert (await ask(town, [*before, {"role": "user", "content": last}]))[0] == "Who approves remote work"


async def test_a_question_with_attached_texts_is_asked_alone(town: Town) -> None:
    """And not what Open WebUI puts before it, which is said."""
    prompt = (
        f"### Task:\nRespond to the user query using the provided context.\n\n<context>\nNo.\n</context>\n\n{QUESTION}"
    )
    said, note = await ask(town, [{"role": "user", "content": prompt}])
    assert said == f"{PUBLIC} [1]"
    assert "attached" in note


async def test_who_may_not_read_gets_no_title(town: Town) -> None:
    async with listening(town) as address, client_of(town, address, "nobody") as client:
        with pytest.raises(openai.PermissionDeniedError):
            await client.chat.completions.create(model="hr", messages=[{"role": "user", "content": TASKS["title"][0]}])


async def test_no_model_is_asked_for_them(open_town: Opener) -> None:
    asked: Any = [{"role": "user", "content": TASKS["title"][0]}]
    async with (
        open_town(chat={"model": "fake"}) as town,
        listening(town) as address,
        client_of(town, address) as client,
    ):
        reply = await client.chat.completions.create(model="hr", messages=asked)
    assert reply.usage.total_tokens == 0


@pytest.mark.parametrize(
    "question",
    [
        "How do I generate a concise title for a report?",
        "What does “### Task:” mean in the handbook?",
        '### Task:\nSay who approves remote work, as JSON { "title": 1 }',
        "Analyze this conversation and say who is right.",
        "<chat_history>\nUSER: x\n</chat_history>",
    ],
)
def test_what_only_looks_like_it_is_a_question(question: str) -> None:
    assert reply_to(Spoken(question, History((Turn("a", "b"),)))) is None
    assert asked_in(question) == question


def test_tools_of_a_front_end_are_not_chosen() -> None:
    system = "Available Tools: [{}]\n\nYour task is to choose and return the correct tool(s) from the list."
    assert json.loads(reply_to(Spoken("Query: x", History(), system)) or "") == {"tool_calls": []}


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("", ""),
        ("  \n\n", ""),
        ("Hallo zusammen! Wie beantrage ich Urlaub?", "Wie beantrage ich Urlaub"),
        ("# Reisekosten\n\nWer zahlt sie?", "Reisekosten"),
        ("1234 " * 5_000, "1234 1234 1234 1234 1234 1234"),
        ("谁批准远程工作？请告诉我。", "谁批准远程工作"),
        ("a" * 500, "a" * 60),
    ],
)
def test_titles_are_short(message: str, title: str) -> None:
    assert title_of(message) == title


async def ask(town: Town, messages: Any, **options: Any) -> tuple[str, str]:
    """What is said, and the note."""
    async with listening(town) as address, client_of(town, address) as client:
        reply = await client.chat.completions.create(model="hr", messages=messages, **options)
        if not options.get("stream"):
            return reply.choices[0].message.content, reply.note
        pieces = [piece async for piece in reply]
        return "".join(piece.choices[0].delta.content or "" for piece in pieces), pieces[-1].note
