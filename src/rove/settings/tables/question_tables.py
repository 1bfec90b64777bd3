"""The types of the tables in `rove.settings.question`.

Written by `python docs/typed_settings.py` from the settings, for completion and type checks; nothing is added here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict


class TopicTable(TypedDict, total=False):
    """The settings of `TopicSettings`, as a table."""

    description: str
    """What the topic is about."""
    subtopics: Mapping[str, str]
    """Its subtopics, each with what it is about."""


class IntentTable(TypedDict, total=False):
    """The settings of `IntentSettings`, as a table."""

    description: str
    """What questions of this kind ask for."""
    examples: Sequence[str]
    """Questions of this kind, to learn from where no chat model decides."""
    route: str
    """Where they go: "" (as any other), "refuse", "gather", or the name of a retriever."""


class SlotTable(TypedDict, total=False):
    """The settings of `SlotSettings`, as a table."""

    type: Literal["text", "number", "date", "enum", "pattern"]
    """\"text", "number", "date", "enum" (one of `values`) or "pattern" (what a regular expression finds). Default:
    "text"."""
    description: str
    """What the value means."""
    values: Mapping[str, Sequence[str]]
    """Of an "enum": its values, each with other words for it."""
    pattern: str
    """A regular expression; where it has a group, that is the value."""
    required: bool
    """Whether the user is asked for a value that is missing. Default: False."""
    intents: Sequence[str]
    """The slot is looked for in questions of these kinds only; empty: in all."""


class QuestionTable(TypedDict, total=False):
    """The settings of `QuestionSettings`, as a table."""

    reform: Literal["off", "first", "second"]
    """When a question is written out so that it stands alone. "first": before any search. "second": before the second
    round of a gathering, and before a single search only if the question follows others. "off": never. Default:
    "second"."""
    spelling: bool
    """Whether typos are mended, by the words of the base. Default: True."""
    model: bool
    """Whether a chat model, where there is one, does these steps; else rules do. Default: True."""
    topics: Mapping[str, TopicTable]
    """The tree of topics that questions are sorted into."""
    topic_field: str
    """The metadata field that topics filter by. Default: "topic"."""
    subtopic_field: str
    """The metadata field that subtopics filter by; "": the topics' own."""
    intents: Mapping[str, IntentTable]
    """Kinds of questions, and where each goes."""
    classifier: Literal["auto", "model", "examples"]
    """What tells the kind: "model", "examples", or whichever can ("auto"). Default: "auto"."""
    min_probability: float
    """A kind of question that is less probable is none. Default: 0.5."""
    slots: Mapping[str, SlotTable]
    """Values to take from questions."""
    clarify: bool
    """Whether a question that is too vague is asked back. Default: False."""
    expand: bool
    """Whether keywords and synonyms are worked out for every question. Default: False."""
    rewrites: int
    """Of mode "rewrite": in how many other ways a question is searched for, at most. Default: 2."""
    thesaurus: Mapping[str, Sequence[str]]
    """A term, and the other words that are replaced by it."""
    log: bool
    """Whether questions are kept, for suggestions. Default: False."""
    usual_wording: bool
    """Whether a question that means nearly the same as a frequent one is searched for in its words. Default: False."""
    max_turns: int
    """How many turns of a conversation are remembered. Default: 8."""


class GatherTable(TypedDict, total=False):
    """The settings of `GatherSettings`, as a table."""

    batch: int
    """How many chunks one call grades. Default: 1."""
    parallel: int
    """How many calls run at once. Default: 4."""
