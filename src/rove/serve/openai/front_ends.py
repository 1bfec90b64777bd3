"""Requests that chat front-ends make for themselves: titles, tags, follow-ups, queries. They are answered by rules.

They come as messages of the user, and would else be looked for in the documents. Known are those of Open WebUI (a
message that begins "### Task:" and holds the chat and a form of JSON), LibreChat and NextChat; what is replied is taken
from the conversation to the letter. A title is how the first message of the user begins.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass

from rove.answer.pack import language_name
from rove.language.detect import detect
from rove.language.rendering import render
from rove.language.sentences import sentence_spans
from rove.language.stopwords import stop_words
from rove.records import History, Note

NOTE = Note("front-end-request")
ATTACHED = Note("attached-unread")
MAX_WORDS, MAX_CHARS, MAX_UNSPACED, MAX_TAGS = 6, 60, 16, 3
GENERAL, EMOJI = "General", "💬"

_TASK = re.compile(r"\s*### Task:")
_FORM = re.compile(r"""\{\s*["'](title|tags|follow_ups|queries|prompt|text)["']\s*:""")
_CHAT, _CHAT_END, _CONTEXT, _CONTEXT_END = "<chat_history>", "</chat_history>", "<context>", "</context>"
_TITLE = re.compile(
    r"\s*(?:Analyze this conversation and provide:.{0,200}\btitle\b"
    r"|Provide a concise, 5-word-or-less title for the conversation"
    r"|Please generate a (?:concise title|four to five word title)\b)",
    re.S,
)
_EMOJI = re.compile(r"\s*Your task is to reflect the speaker's likely facial expression through a fitting emoji")
_TOOLS = ("Available Tools:", "Your task is to choose and return the correct tool")
_SPOKEN = re.compile(
    r"^(USER|User|Human): (.*?)(?=^(?:ASSISTANT|Assistant|AI|USER|User|Human|SYSTEM): |\Z)", re.M | re.S
)
_WORD = re.compile(r"[^\W\d_][\w'’-]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a request says: the user's last message, the turns before it, the system prompt, the keys of its form."""

    question: str
    history: History
    system: str = ""
    keys: Collection[str] = ()


def reply_to(said: Spoken) -> str | None:
    r"""Reply to a request of a front-end's own; None where it is a question.

    >>> asked = "### Task:\nName it.\n{ 'title': '…' }\n<chat_history>\nUSER: Who pays?\n</chat_history>"
    >>> reply_to(Spoken(asked, History()))
    '{"title": "Who pays"}'
    """
    text = said.question
    if all(words in said.system for words in _TOOLS):
        return json.dumps({"tool_calls": []})
    if _EMOJI.match(text):
        return EMOJI
    if _TITLE.match(text):
        spoken = _user_messages_in_chat(text) or [turn.question for turn in said.history.turns]
        title = title_of(spoken[0] if spoken else "")
        form = {"language": language_name(detect(title)), "title": title}
        return _to_unicode_json({key: form[key] for key in form if key in said.keys}) if "title" in said.keys else title
    head, chat, rest = text.partition(_CHAT) if _TASK.match(text) else ("", "", "")
    form = _FORM.search(head) if chat else None
    return (
        _front_end_form_reply(form[1], _user_messages_in_chat(rest.rpartition(_CHAT_END)[0] or rest)) if form else None
    )


def asked_in(text: str) -> str:
    r"""Return the question in a message; Open WebUI puts one after the texts that it has attached.

    >>> asked_in("### Task:\nRespond. <context>a</context>\n\nWho pays?"), asked_in("Who pays?")
    ('Who pays?', 'Who pays?')
    """
    if not _TASK.match(text) or _CONTEXT not in text:
        return text
    return text.rpartition(_CONTEXT_END)[2].strip() or text


def title_of(message: str) -> str:
    """Return how a message begins, as a title: its first sentence that is no mere greeting, cut after some words.

    >>> title_of("**Who** approves remote work in our units in summer? I need it.")
    'Who approves remote work in our'
    >>> title_of("誰がリモートワークを承認しますか。")
    '誰がリモートワークを承認しますか'
    """
    begun = message[: 20 * MAX_CHARS].strip().partition("\n")[0]
    text = render(begun).line
    said = [
        text[start:end].strip(" .!?:;,。！？：；，、…\"'“”„«»") for start, end in sentence_spans(text, detect(text))
    ]
    telling = (one for one in said if _UNSPACED.search(one) or len(one.split()) > 2)
    first = next(telling, said[0] if said else "")
    if _UNSPACED.search(first):
        return first[:MAX_UNSPACED]
    return " ".join(first.split()[:MAX_WORDS])[:MAX_CHARS]


def tags_of(message: str) -> list[str]:
    """Return the telling words of a message.

    >>> tags_of("Who approves remote work for the staff?"), tags_of("ok")
    (['approves', 'remote', 'work'], ['General'])
    """
    if _UNSPACED.search(message):
        return [title_of(message)]
    stops = stop_words(detect(message))
    words = dict.fromkeys(word for word in _WORD.findall(message) if len(word) > 2 and word.casefold() not in stops)
    return list(words)[:MAX_TAGS] or [GENERAL]


def _front_end_form_reply(key: str, spoken: list[str]) -> str:
    first, last = (spoken[0], spoken[-1]) if spoken else ("", "")
    match key:
        case "title":
            return _to_unicode_json({key: title_of(first)})
        case "tags":
            return _to_unicode_json({key: tags_of(first)})
        case "queries":
            return _to_unicode_json({key: [" ".join(last.split())] if last else []})
        case "prompt":
            return _to_unicode_json({key: " ".join(last.split())})
        case "text":
            return _to_unicode_json({key: ""})
        case _:
            return _to_unicode_json({key: list[str]()})


def _user_messages_in_chat(chat: str) -> list[str]:
    """The user's messages in a chat that is written out."""
    return [text for _, said in _SPOKEN.findall(chat) if (text := said.strip())]


def _to_unicode_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
