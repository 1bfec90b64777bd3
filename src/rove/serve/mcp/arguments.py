"""The arguments of the tools; the docstring of each is what a model is told of its tool, so they are short."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

from pydantic import BaseModel, Field, field_validator

from rove.records import Filter, History, Turn
from rove.records.filter import All
from rove.serve.documents.schema import Access, MetadataIn
from rove.serve.json_values import Values
from rove.serve.questions.filters import Comparison, compiled
from rove.serve.questions.schema import Question, TurnIn
from rove.serve.schema import Wire

MAX_READ_CHARS = 20_000
MAX_WAIT_S = 600


class Spaced(Wire):
    """Arguments of a tool for one space."""

    space: str = Field(default="", max_length=64, description="The knowledge base; empty if there is only one.")


class Conditioned(Spaced):
    """Arguments of a tool that can be kept to some documents."""

    where: list[Comparison] = Field(
        default=[], max_length=50, description="Only documents for which all of these hold; see list_documents."
    )

    @field_validator("where")
    @classmethod
    def _can_be_made(cls, where: list[Comparison]) -> list[Comparison]:
        for one in where:
            compiled(one)
        return where

    @property
    def condition(self) -> Filter | None:
        """The filter; None where every document will do."""
        parts = tuple(part for one in self.where if (part := compiled(one)))
        return All(parts) if parts else None


class SearchArguments(Conditioned):
    """Find passages in the documents. Give what you look for, in any language.

    Each passage has its title, headings, file and page, then document_id start-end for read_document, then its words.
    """

    question: Question
    top_k: int = Field(default=8, ge=1, le=50, description="How many passages at most.")
    whole: bool = Field(default=False, description="Give passages whole, not only their telling words.")


class Conversed(Spaced):
    """What was said before, and what is known of the user."""

    history: list[TurnIn] = Field(default=[], max_length=50, description="The turns before, the oldest first.")
    profile: Values = Field(default={}, description='What is known of the user, e.g. {"home_city": "Wien"}.')

    @property
    def turns(self) -> History:
        """The conversation so far."""
        return History(tuple(Turn(turn.question, turn.answer) for turn in self.history))


class AskArguments(Conditioned, Conversed):
    """Answer a question from the documents; every sentence is cited to exact words of one of them."""

    question: Question
    tools: bool = Field(default=False, description="Let a tool that only reads run, and cite what it gives.")


class WalkArguments(Conditioned):
    """Answer a question that takes several steps: what is found is followed to where it leads, until it is enough."""

    question: Question


class ListArguments(Spaced):
    """List the documents, and the fields that `where` can name."""

    words: str = Field(default="", max_length=500, description="Only those whose title or file has all these words.")
    cursor: int = Field(default=0, ge=0, le=10**9, description="Where the page begins.")
    limit: int = Field(default=50, ge=1, le=200)


class ReadArguments(Spaced):
    """Read a document, or a part of it: a section by its title, or the characters from start to end."""

    document_id: str = Field(max_length=2_000)
    section: str = Field(default="", max_length=500, description="The title of a section.")
    start: int = Field(default=0, ge=0)
    end: int | None = Field(default=None, ge=0, description=f"At most {MAX_READ_CHARS:,} characters come at once.")


class ExploreArguments(Conditioned):
    """Ask what the documents say of people, places or things by name, and how these are related, with the words."""

    names: list[str] = Field(min_length=1, max_length=10, description="Names of things.")
    depth: int = Field(default=1, ge=1, le=3, description="How many relations away from them to go.")


class SummaryArguments(Spaced):
    """Read in few sentences what a document and each of its sections say, where it has been summed up."""

    document_id: str = Field(max_length=2_000)


class DatabaseArguments(Spaced):
    """Answer a question from the rows of a database, or of tables in documents: counts, sums, the most, lists."""

    question: Question
    database: str = Field(default="", max_length=200, description="Its name; empty if there is only one.")
    tables: bool = Field(default=False, description="Ask the tables in the documents instead.")


class FindToolsArguments(Spaced):
    """Find tools of the knowledge base that look up or do what documents cannot say, by what is wanted."""

    request: Question
    top_k: int = Field(default=5, ge=1, le=20, description="How many at most.")


class RunToolArguments(Conversed):
    """Run a tool that only reads, for a request: it is chosen and its parameters are filled from what was said.

    Where the outcome is "asks", put the question of the plan to the user. What changes something does not run here.
    """

    request: Question
    tool: str = Field(default="", max_length=200, description="The tool's name, where it is known.")
    arguments: Values = Field(default={}, description="Values that are settled, by parameter.")
    dry_run: bool = Field(default=False, description="Only show what would be run.")


class AddTextArguments(Spaced):
    """Add a text to the documents. The same name replaces what was there before. Follow it with the tool job."""

    text: str = Field(min_length=1, max_length=1_000_000)
    name: str = Field(default="", max_length=200)
    title: str = Field(default="", max_length=500)
    type: Literal["text", "markdown", "html"] = "text"
    metadata: MetadataIn = {}
    access: Access = []


class AddUrlArguments(Spaced):
    """Add a page of the web, or a file there, to the documents. Follow it with the tool job."""

    url: str = Field(max_length=2_000, pattern=r"^https?://")
    access: Access = []


class JobArguments(Spaced):
    """Follow what was added until it can be found, or for so many seconds."""

    job_id: str = Field(max_length=100)
    seconds: int = Field(default=60, ge=0, le=MAX_WAIT_S)


UNTOLD = frozenset({
    "$defs", "title", "examples", "pattern", "minLength", "maxLength", "minItems", "maxItems", "maxProperties",
    "propertyNames", "exclusiveMaximum", "anyOf",
})  # fmt: skip
"""What a model need not read of a schema: what is wrong is refused with the reason."""


def schema_of(arguments: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments, as small as can be: a model reads it with every question.

    It has no bounds of texts and lists, no empty defaults, and nothing stands in it by reference.
    """
    whole = arguments.model_json_schema()
    return cast("dict[str, Any]", _lean(whole, whole.get("$defs", {})))


def _lean(node: object, known: Mapping[str, object]) -> object:
    if isinstance(node, list):
        return [_lean(one, known) for one in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    tree = cast("dict[str, Any]", node)
    if "$ref" in tree:
        return _lean(known[tree["$ref"].rpartition("/")[2]], known)
    told = {key: one for key, one in tree.items() if key not in UNTOLD and (key != "default" or one)}
    if len(some := [one for one in tree.get("anyOf", []) if one != {"type": "null"}]) == 1:
        told |= some[0]
    return {
        key: {name: _lean(inner, known) for name, inner in one.items()} if key == "properties" else _lean(one, known)
        for key, one in told.items()
    }
