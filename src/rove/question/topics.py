"""Which topics of the user's tree a question is about, and the filter that they make."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import BaseModel, Field

from rove.language.words import query_terms, terms
from rove.models import ChatModel, Embedder
from rove.question import (
    AskedQuestion,
    QuestionContext,
    StepResult,
    ask_model,
    by_model_or_rules,
    history_text,
    question_part,
)
from rove.records import Filter, Topic, field
from rove.records.filter import Any
from rove.settings import QuestionSettings, TopicSettings

LEAD = 0.15  # of the embedder's max_distance: how far, in cosine, a topic must stand above the mean of all
NEAR_BEST = 0.075  # of it: and how near to the best one

INVENTED = "The chat model named topics that the tree does not have: {names}. They were left out."
_COMMAS = re.compile(r"[,;，；、]")

Path = tuple[str, str]
"""A topic's name, and its subtopic's; "" for the topic itself."""


class Chosen(BaseModel):
    """What the model writes: names, as "topic" or "topic/subtopic"."""

    topics: list[Annotated[str, Field(max_length=200)]] = Field(max_length=20)


async def extract_topics(asked: AskedQuestion, context: QuestionContext) -> StepResult[tuple[Topic, ...]]:
    """Return the topics, in the order of the tree; a subtopic's missing parent is added (mission A.3).

    By rules: a topic is found where its name is said, or a phrase of its description, or most of the question's telling
    words are in it, or where its meaning stands out from the others' by `LEAD`.
    """
    tree = context.settings.topics
    paths = paths_of(tree)
    invented: list[str] = []

    async def by_model(chat: ChatModel) -> tuple[Topic, ...]:
        listed = "\n".join(f"{'/'.join(filter(None, path))}: {about}" for path, about in paths.items())
        wrote = await ask_model(
            chat, Chosen, "topics", f"Topics:\n{listed}", history_text(asked.history), question_part(asked.text)
        )
        invented.extend(name for name in wrote.topics if name.strip() and not _topic_paths_by_name([name], paths))
        return with_parents(_topic_paths_by_name(wrote.topics, paths), tree)

    async def by_rules() -> tuple[Topic, ...]:
        return with_parents(await _closest_topic_paths(asked, paths, context.search_context.embedder), tree)

    found = await by_model_or_rules(context.chat, by_model, by_rules)
    return replace(found, note=INVENTED.format(names=", ".join(invented))) if invented and not found.note else found


def paths_of(tree: Mapping[str, TopicSettings]) -> dict[Path, str]:
    """Return every topic and subtopic with what it is about."""
    found: dict[Path, str] = {}
    for name, topic in tree.items():
        found[name, ""] = topic.description
        found |= {(name, sub): about for sub, about in topic.subtopics.items()}
    return found


def with_parents(paths: Iterable[Path], tree: Mapping[str, TopicSettings]) -> tuple[Topic, ...]:
    """Return the topics in the order of the tree, each with its subtopics that were found.

    >>> tree = {"hr": TopicSettings(subtopics={"leave": "", "pay": ""}), "it": TopicSettings()}
    >>> with_parents([("it", ""), ("hr", "leave")], tree)
    (Topic(name='hr', subtopics=('leave',)), Topic(name='it', subtopics=()))
    """
    chosen = set(paths)
    return tuple(
        Topic(name, tuple(sub for sub in topic.subtopics if (name, sub) in chosen))
        for name, topic in tree.items()
        if any(path[0] == name for path in chosen)
    )


def topic_filter(topics: Sequence[Topic], settings: QuestionSettings) -> Filter | None:
    """Return what a chunk must carry: a topic that was found, or one of its subtopics that were.

    As mission A.3 is read here: a subtopic's missing parent is added to what was found, and chunks are filtered by
    both; so what is filed under the topic itself ("hr") is found under its subtopic ("leave"), too. What is
    filed under another subtopic of it alone ("pay", or "hr" and "pay") is not: else a subtopic would narrow nothing.
    Where subtopics stand in a field of their own, the chunk must carry their topic too.

    >>> topic_filter([Topic("hr", ("leave",)), Topic("it")], QuestionSettings())
    Any(parts=(Compare(name='topic', op='in', value=('hr', 'leave')), Compare(name='topic', op='==', value='it')))
    """
    return Any(tuple(_carries(topic, settings) for topic in topics)) if topics else None


def _carries(topic: Topic, settings: QuestionSettings) -> Filter:
    """Return the condition of one topic: it with a subtopic that was found, or it with no subtopic at all."""
    own = field(settings.topic_field) == topic.name
    if not topic.subtopics:
        return own
    if settings.subtopic_field:
        subtopic = field(settings.subtopic_field)
        return own & (subtopic.in_(topic.subtopics) | ~subtopic.exists())
    tree = settings.topics.get(topic.name, TopicSettings()).subtopics
    others = tuple(name for name in tree if name not in topic.subtopics)
    if not others:
        return field(settings.topic_field).in_((topic.name, *topic.subtopics))
    within = field(settings.topic_field)
    return within.in_(topic.subtopics) | (own & ~within.in_(others))


def topics_text(topics: Sequence[Topic]) -> str:
    """Return topics as a person reads them.

    >>> topics_text([Topic("hr", ("leave", "pay")), Topic("it")])
    'hr (leave, pay), it'
    """
    return ", ".join(f"{t.name} ({', '.join(t.subtopics)})" if t.subtopics else t.name for t in topics)


def _topic_paths_by_name(names: Sequence[str], paths: Mapping[Path, str]) -> list[Path]:
    """Return the paths that the model meant; what is not in the tree is left out, and said."""
    by_name = {"/".join(filter(None, path)).casefold(): path for path in paths}
    by_name = {path[1].casefold(): path for path in paths if path[1]} | by_name
    return [by_name[name.strip().casefold()] for name in names if name.strip().casefold() in by_name]


async def _closest_topic_paths(asked: AskedQuestion, paths: Mapping[Path, str], embedder: Embedder) -> list[Path]:
    abouts = [" ".join(filter(None, (*path, about))) for path, about in paths.items()]
    words = set(query_terms(asked.text, asked.language))
    said = [_is_topic_mentioned(words, path, about, asked.language) for path, about in paths.items()]
    cosines = (await embedder.passages(abouts)) @ (await embedder.queries([asked.text]))[0]
    unit = embedder.max_distance
    stands_out = (cosines >= cosines.mean() + LEAD * unit) & (cosines >= cosines.max() - NEAR_BEST * unit)
    return [
        path
        for path, is_said, near in zip(paths, said, stands_out, strict=True)
        if is_said or (near and len(paths) > 1)
    ]


def _is_topic_mentioned(words: set[str], path: Path, about: str, language: str) -> bool:
    """Say whether the question names the topic, one of the phrases between commas of its description, or most of it."""
    phrases = [set(query_terms(phrase, language)) for phrase in (path[1] or path[0], *_COMMAS.split(about))]
    shared = words & set(terms(about, language))
    return any(phrase and phrase <= words for phrase in phrases) or (len(shared) >= 2 and 2 * len(shared) >= len(words))
