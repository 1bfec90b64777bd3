"""A tool as it is planned and run: its parameters, where each value came from, what was mended, what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rove.records.document import Document, Span
from rove.records.note import Note, SaidInWords

Effects = Literal["reads", "writes"]
"""What a tool does outside: "reads" changes nothing; "writes" does, and is run only when it was confirmed."""
ValueOrigin = Literal["given", "question", "history", "profile", "default"]
"""Where a parameter's value stands: with the caller, in the question, in an earlier turn, in the profile, in the
tool's own schema."""
RunOutcome = Literal["ran", "planned", "asks", "unconfirmed", "failed", "none"]
"""What came of a request. "planned": a dry run. "asks": something is missing or wrong, and `ToolPlan.question` asks for
it. "unconfirmed": the tool writes, and nobody has confirmed. "none": no tool fits."""


def describes_tool(metadata: Mapping[str, object]) -> bool:
    """Whether a document or chunk with this metadata is what the base holds of a tool.

    >>> describes_tool({"tool": "get_load", "tool_source": "ops"}), describes_tool({"tool": "hammer"})
    (True, False)
    """
    return "tool" in metadata and "tool_source" in metadata


@dataclass(frozen=True, slots=True)
class FilledParameter:
    """A parameter's value. `text`: the words that say so, at `span` of the question; None where they stand elsewhere.

    `by`: "text" (rules) or "model". `value` is what JSON can hold. `unit`: what a number counts, "" where nothing says.
    """

    name: str
    value: object
    origin: ValueOrigin
    text: str = ""
    span: Span | None = None
    by: Literal["text", "model"] = "text"
    unit: str = ""


@dataclass(frozen=True, slots=True)
class ValueCorrection:
    """A value that was mended before it was used.

    `reason`: "type", "case", "alias" (another name for the same), "spelling", "unit", "date" or "platform" (the name of
    a thing on the tool's own platform).
    """

    parameter: str
    written: str
    meant: str
    reason: Literal["type", "case", "alias", "spelling", "unit", "date", "platform"]


@dataclass(frozen=True, slots=True)
class ValueProblem:
    """What a value does not keep to: the message of the check, in English."""

    parameter: str
    message: str


@dataclass(frozen=True, slots=True)
class ToolMatch:
    """A tool that fits a request. `score`: higher is better, comparable within one result.

    `fitting`: its parameters that the request holds values for.
    """

    tool: str
    description: str
    source: str
    effects: Effects
    score: float
    fitting: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolPlan(SaidInWords):
    """What would be run, and why. `question`: asks the user, once, for all that is missing or wrong; "" if nothing is.

    `others`: the tools that came next.
    """

    request: str
    match: ToolMatch
    parameters: tuple[FilledParameter, ...] = ()
    corrections: tuple[ValueCorrection, ...] = ()
    missing: tuple[str, ...] = ()
    problems: tuple[ValueProblem, ...] = ()
    question: str = ""
    others: tuple[ToolMatch, ...] = ()
    note: str = ""
    notes: tuple[Note, ...] = ()
    language: str = "en"

    @property
    def arguments(self) -> Mapping[str, object]:
        """The values by name, as the tool is called."""
        return {one.name: one.value for one in self.parameters}

    @property
    def call(self) -> str:
        """The exact call, with the units of its numbers; what the tool has of itself is left out.

        >>> match = ToolMatch("transfer", "", "bank", "writes", 1.0)
        >>> amount = FilledParameter("amount", 2000000.0, "question", "2 million forint", unit="HUF")
        >>> ToolPlan("", match, (amount, FilledParameter("to", "Ann", "given"))).call
        "transfer(amount=2000000 HUF, to='Ann')"
        """
        given = [one for one in self.parameters if one.origin != "default"]
        return f"{self.match.tool}({', '.join(f'{one.name}={_format_parameter_value(one)}' for one in given)})"

    @property
    def is_ready(self) -> bool:
        """True where nothing is missing and nothing is wrong."""
        return not self.missing and not self.problems


def _format_parameter_value(one: FilledParameter) -> str:
    whole = isinstance(one.value, float) and one.value.is_integer()
    number = f"{one.value:.0f}" if whole else repr(one.value)
    return f"{number} {one.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class ToolRun(SaidInWords):
    """What came of a request to the tools. `plan`: None where no tool fits.

    `document`: the result as a source that can be cited, where the tool ran. `cut`: the result was longer than allowed,
    and its end is left out. `tries`: how often it was called. `notes`: why it did not run, or failed, and what to do;
    `note`: what they say in the request's `language`.
    """

    request: str
    outcome: RunOutcome
    plan: ToolPlan | None = None
    document: Document | None = None
    seconds: float = 0.0
    tries: int = 0
    cut: bool = False
    note: str = ""
    result: object = field(default=None, repr=False)
    notes: tuple[Note, ...] = ()
    language: str = "en"

    @property
    def missing(self) -> tuple[str, ...]:
        """The parameters that it still needs a value for."""
        return self.plan.missing if self.plan else ()

    @property
    def text(self) -> str | None:
        """The result as a text, None where the tool did not run."""
        return self.document.text if self.document else None
