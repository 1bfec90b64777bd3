"""What settings say of understanding questions, and of gathering what answers them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from rove.settings.section import Change, SettingsSection
from rove.settings.values import ValueSettings


class TopicSettings(SettingsSection):
    """A topic of the user's tree."""

    description: str = ""
    """What the topic is about."""
    subtopics: Mapping[str, str] = Field(default_factory=dict)
    """Its subtopics, each with what it is about."""


class IntentSettings(SettingsSection):
    """A kind of question."""

    description: str = ""
    """What questions of this kind ask for."""
    examples: tuple[str, ...] = ()
    """Questions of this kind, to learn from where no chat model decides."""
    route: str = ""
    """Where they go: "" (as any other), "refuse", "gather", or the name of a retriever."""


class SlotSettings(ValueSettings):
    """A value to take from questions."""

    required: bool = False
    """Whether the user is asked for a value that is missing."""
    intents: tuple[str, ...] = ()
    """The slot is looked for in questions of these kinds only; empty: in all."""


class QuestionSettings(SettingsSection):
    """Stage 5: what is made of a question before it is searched for."""

    change = Change("page", "now")
    reform: Literal["off", "first", "second"] = "second"
    """When a question is written out so that it stands alone. "first": before any search. "second": before the second
    round of a gathering, and before a single search only if the question follows others. "off": never."""
    spelling: bool = True
    """Whether typos are mended, by the words of the base."""
    model: bool = True
    """Whether a chat model, where there is one, does these steps; else rules do."""
    topics: Mapping[str, TopicSettings] = Field(default_factory=dict)
    """The tree of topics that questions are sorted into."""
    topic_field: str = "topic"
    """The metadata field that topics filter by."""
    subtopic_field: str = ""
    """The metadata field that subtopics filter by; "": the topics' own."""
    intents: Mapping[str, IntentSettings] = Field(default_factory=dict)
    """Kinds of questions, and where each goes."""
    classifier: Literal["auto", "model", "examples"] = "auto"
    """What tells the kind: "model", "examples", or whichever can ("auto")."""
    min_probability: float = Field(default=0.5, ge=0, le=1)
    """A kind of question that is less probable is none."""
    slots: Mapping[str, SlotSettings] = Field(default_factory=dict)
    """Values to take from questions."""
    clarify: bool = False
    """Whether a question that is too vague is asked back."""
    expand: bool = False
    """Whether keywords and synonyms are worked out for every question."""
    rewrites: int = Field(default=2, ge=1, le=5)
    """Of mode "rewrite": in how many other ways a question is searched for, at most."""
    thesaurus: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    """A term, and the other words that are replaced by it."""
    log: bool = False
    """Whether questions are kept, for suggestions."""
    usual_wording: bool = False
    """Whether a question that means nearly the same as a frequent one is searched for in its words. Needs `log`."""
    max_turns: int = Field(default=8, ge=0)
    """How many turns of a conversation are remembered."""


class GatherSettings(SettingsSection):
    """The two-round gathering."""

    change = Change("page", "now")
    batch: int = Field(default=1, ge=1)
    """How many chunks one call grades."""
    parallel: int = Field(default=4, ge=1)
    """How many calls run at once."""
