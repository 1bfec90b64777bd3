"""What settings say of understanding questions, and of gathering what answers them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from rove.settings.section import SettingsSection


class TopicSettings(SettingsSection):
    """A topic of the user's tree: what it is about, and its subtopics with what they are about."""

    description: str = ""
    subtopics: Mapping[str, str] = Field(default_factory=dict)


class IntentSettings(SettingsSection):
    """A kind of question. `route`: "" (as ever), "refuse", "gather", or the name of a retriever."""

    description: str = ""
    examples: tuple[str, ...] = ()
    route: str = ""


class SlotSettings(SettingsSection):
    """A value to take from questions.

    `values`: of an "enum", each with other words for it. `pattern`: a regular expression; where it has a group, that is
    the value. `intents`: the slot is looked for in questions of these kinds only, () in all.
    """

    type: Literal["text", "number", "date", "enum", "pattern"] = "text"
    description: str = ""
    values: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    pattern: str = ""
    required: bool = False
    intents: tuple[str, ...] = ()


class QuestionSettings(SettingsSection):
    """Stage 6: what is made of a question before it is searched for; most of it only where there is something to go by.

    `reform`: a question is written out so that it stands alone, and its typos are mended (by the words of the base, if
    `spelling`), "first", before any search; or "second": before the second round of a gathering, and where there is but
    one search, before that if it follows others; or never ("off").
    `model`: a chat model, where there is one, does all this; else it is done by rules. `classifier`: "model",
    "examples", or whichever can. A kind of question that is less probable than `min_probability` is none.
    `topics`, `topic_field`, `subtopic_field`: the tree, and the metadata that it filters by; "" is the topics' own.
    `thesaurus`: a word, and other words for it. `log`: questions are kept, for suggestions; with `usual_wording`, one
    that means nearly the same as a frequent one is searched for in its words. `max_turns` of a conversation are
    remembered.
    """

    reform: Literal["off", "first", "second"] = "second"
    spelling: bool = True
    model: bool = True
    topics: Mapping[str, TopicSettings] = Field(default_factory=dict)
    topic_field: str = "topic"
    subtopic_field: str = ""
    intents: Mapping[str, IntentSettings] = Field(default_factory=dict)
    classifier: Literal["auto", "model", "examples"] = "auto"
    min_probability: float = Field(default=0.5, ge=0, le=1)
    slots: Mapping[str, SlotSettings] = Field(default_factory=dict)
    clarify: bool = False
    expand: bool = False
    thesaurus: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    log: bool = False
    usual_wording: bool = False
    max_turns: int = Field(default=8, ge=0)


class GatherSettings(SettingsSection):
    """The two-round gathering: how many chunks are graded by one call, and how many calls run at once."""

    batch: int = Field(default=1, ge=1)
    parallel: int = Field(default=4, ge=1)
