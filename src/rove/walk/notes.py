"""Notes of a chat model: facts as JSON or as a table, by the field names of the authors of the idea (mission D.1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import cast

from pydantic import BaseModel, Field, model_validator
from pydantic_core import from_json

from rove.language.pipe_rows import table_rows
from rove.models.typed import read_object

PAGE = "page {number}"
_NUMBER = re.compile(r"\s*+(\d++(?:[.,]\d++)?)\s*+(%?)\s*+")
_LIST = re.compile(r"\[(?=\s*\{)")


class NotedFact(BaseModel):
    """A fact as the model writes it, with the reference that it rests on; 0 where it names none.

    `relevance` is a sentence, `score` how much it helps to answer. A number as `relevance` is the score.
    """

    fact: str = Field(max_length=1000)
    relevance: str = Field(default="", max_length=500)
    score: float = Field(default=0.5, ge=0, le=1)
    reference: int = Field(default=0, ge=0)
    next_source: str = Field(default="", max_length=300)
    expected_info: str = Field(default="", max_length=400)

    @model_validator(mode="before")
    @classmethod
    def _understood(cls, given: object) -> object:
        """Take numbers as they are meant: that of a relevance is a score, that of a next source a page."""
        if not isinstance(given, Mapping):
            return given
        told = {name: value for name, value in cast("Mapping[str, object]", given).items() if value is not None}
        if found := _NUMBER.fullmatch(str(told.get("relevance", ""))):
            amount = float(found[1].replace(",", "."))
            told |= {"relevance": "", "score": amount / 100 if found[2] else amount}
        if found := _NUMBER.fullmatch(str(told.get("next_source", ""))):
            told["next_source"] = PAGE.format(number=found[1])
        if found := re.search(r"\d+", str(told.get("reference", ""))):
            told["reference"] = int(found[0])
        return told


class Notes(BaseModel):
    """What the model is asked for."""

    facts: list[NotedFact] = Field(max_length=16)


def read_notes(written: str) -> Mapping[str, object]:
    r"""Return the notes in what a model has written so far; {} where there are none.

    An object with "facts", a list of facts, one fact, or a markdown table with a column "fact".

    >>> read_notes("| Fact | Next source |\n|---|---|\n| It rains. | the almanac |")
    {'facts': [{'fact': 'It rains.', 'next_source': 'the almanac'}]}
    >>> read_notes('[{"fact": "It rains."}, {"fact": "It sn')
    {'facts': [{'fact': 'It rains.'}, {'fact': 'It sn'}]}
    """
    whole = _normalize_field_names(read_object(written))
    if isinstance(whole.get("facts"), list):
        return {"facts": [_normalize_field_names(one) for one in cast("list[object]", whole["facts"])]}
    for opening in _LIST.finditer(written):
        with suppress(ValueError):
            told = from_json(written[opening.start() :].rstrip("`\n ").encode(), allow_partial="trailing-strings")
            return {"facts": [_normalize_field_names(one) for one in told]}
    if "fact" in whole:
        return {"facts": [whole]}
    rows = [_normalize_field_names(dict(zip(row.names, row.cells, strict=False))) for row in table_rows(written)]
    facts = [{name: cell for name, cell in row.items() if cell} for row in rows if row.get("fact")]
    return {"facts": facts} if facts else whole


def _normalize_field_names(given: object) -> dict[str, object]:
    """Return an object by its field names as they are spelled here: "Next source" is next_source."""
    if not isinstance(given, Mapping):
        return {}
    told = cast("Mapping[str, object]", given)
    return {re.sub(r"[\s*_-]+", "_", str(name).strip(" *")).casefold(): value for name, value in told.items()}
