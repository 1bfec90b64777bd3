"""A flow is checked before it runs: each thing that is wrong is said with its place, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import ConfigError
from rove.flow import Flow, FlowContext, checked, operator, read_flow, templates
from rove.flow.condition import read_condition
from rove.flow.definition import flow_json, flow_of, from_json
from rove.flow.flow_plan import FlowPlan
from rove.flow.operator import operator_of
from rove.flow.picture import as_lines, as_mermaid, as_svg
from rove.flow.reference import Reference
from rove.flow.there import There

GOOD = """
[steps.found]
use = "retrieve"
question = "$input.question"
[steps.answer]
use = "answer"
question = "$input.question"
found = "$found"
[output]
answer = "$answer"
"""
WRONG = [
    ('use = "retrieve"', 'use = "retreive"', "steps.found", "retreive", "Did you mean 'retrieve'?"),
    ('found = "$found"', 'fond = "$found"', "steps.answer", "takes no 'fond'", "Did you mean 'found'?"),
    ('found = "$found"', 'found = "$fond"', "steps.answer", "$fond names no step", "Did you mean 'found'?"),
    ('found = "$found"', "", "steps.answer", "needs 'found': Found", "Write found ="),
    ('found = "$found"', 'found = "$found.hits"', "steps.answer.found", "list of Hit; needed is Found", "another part"),
    ('found = "$found"', 'found = "text"', "steps.answer.found", "'text' is wrong", "Wanted is Found"),
    ('answer = "$answer"', 'answer = "$answer.txt"', "output", "Answer has no 'txt'", "Did you mean 'text'?"),
    ('answer = "$answer"', 'answer = "$found.hits.chunk.page_number"', "output", "Chunk has no", "It has: "),
    ('answer = "$answer"', 'answer = "$found"', "steps.answer", "Nothing uses", "Refer to it"),
    ('answer = "$answer"', "", "output", "Nothing comes out", "below [output]"),
    ('"$input.question"', '"$input.questoin"', "steps.found", "$input.questoin is not an input", "'question'?"),
    ('use = "retrieve"', 'use = "retrieve"\nmode = 5', "steps.found.mode", "5 is wrong", "Wanted is str"),
    ('use = "retrieve"', 'use = "retrieve"\nwhen = "found ="', "steps.found.when", "cannot be read", "conditions like"),
    ('use = "retrieve"', 'use = "retrieve"\nwhen = "__import__(1)"', "steps.found.when", "neither", "conditions like"),
    ('use = "retrieve"', 'use = "retrieve"\nwhen = "answer.text"', "steps.found", "found → answer → found", "at_most"),
    ('use = "retrieve"', 'use = "retrieve"\nwhen = "count(nobody)"', "steps.found", "$nobody names no step", "Steps: "),
    ('use = "retrieve"', 'use = "retrieve"\neach = "$input.question"', "steps.found.each", "not a list", "to a list"),
    ('use = "retrieve"', 'use = "retrieve"\nmode = "$item"', "steps.found", "without each", "Write each"),
    ('[output]', '[loops.again]\nsteps = ["fund"]\nat_most = 2\n[output]', "loops.again", "no step 'fund'", "'found'"),
    ('[output]', '[loops.again]\nsteps = ["found"]\nat_most = 0\n[output]', "loops.again", "at_most is 0", "from 1"),
    ('use = "retrieve"', 'use = "unsourced"', "steps.found", "needs a chat model", "Set chat.model"),
    ('use = "retrieve"', 'use = "add"\nsources = ["x"]', "steps.found", "does not say that it may", "writes = true"),
    ('question = "$input.question"', 'question = "$found.hits"', "steps.found", "refers to itself", "loop"),
]  # fmt: skip
UNREADABLE = [
    ("[steps.found]\n", "steps.found names no operator"),
    ("steps = 3\n", "steps is not a table"),
    ("stepps = 3\n", "Did you mean 'steps'?"),
    ('[steps.found]\nuse = "retrieve"\nretry = 99\n', "retry 0 to 10"),
    ('[steps.found]\nuse = "retrieve"\non_error = "stop"\n', "steps.found is wrong"),
    ('[loops.again]\nsteps = ["a"]\n', "at_most = 3"),
    ('[loops.again]\nsteps = ["a"]\nat_most = 3\nuntill = "a"\n', "Did you mean 'until'?"),
    ('[input]\ntop_k = "int"\n', "input.top_k is wrong"),
    ("name = 'x", "cannot be read"),
]


@pytest.mark.parametrize(("text", "instead", "place", "reason", "cure"), WRONG)
def test_what_is_wrong_is_said_with_its_place_and_its_cure(
    text: str, instead: str, place: str, reason: str, cure: str
) -> None:
    assert text in GOOD
    flow = flow_of(GOOD.replace(text, instead, 1), "mine.toml")
    problems = checked(flow, there=There())[1]
    said = [(one.place, one.reason, one.cure) for one in problems]
    assert any(place == p and reason in r and cure in c for p, r, c in said), said


@pytest.mark.parametrize(("text", "said"), UNREADABLE)
def test_a_file_that_is_no_flow_is_refused_with_its_name(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        flow_of(text, "mine.toml")
    assert said in str(raised.value)
    assert "mine.toml" in str(raised.value)


def test_a_name_that_there_is_not_is_asked_back() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'simple'"):
        read_flow("simpel")


def test_all_that_is_wrong_is_said_at_once() -> None:
    text = GOOD.replace('"retrieve"', '"retreive"').replace('found = "$found"', 'found = "$fond"')
    assert len(checked(flow_of(text, "mine.toml"))[1]) == 2


def test_yaml_says_the_same(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "steps:\n"
        "  found: {use: retrieve, question: $input.question}\n"
        "  answer: {use: answer, question: $input.question, found: $found}\n"
        "output: {answer: $answer}\n"
    )
    read = read_flow(file)
    assert not checked(read)[1]
    assert read.steps == flow_of(GOOD, "mine.toml").steps


def test_code_says_the_same_as_a_file_and_is_kept_with_its_run() -> None:
    flow = (
        Flow("mine")
        .step("found", "retrieve", question="$input.question")
        .step("answer", "answer", question="$input.question", found="$found")
        .gives(answer="$answer")
    )
    assert flow.steps == flow_of(GOOD, "mine.toml").steps
    for made in (flow, *map(read_flow, templates())):
        assert from_json(flow_json(made)) == made


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("a.b == 3 and not c", True),
        ("a.b < 3 or a.b > 3", False),
        ("a.b in [1, 2, 3] and 'x' not in d", True),
        ("count(d) == 2 and d[0] == 'y'", True),
        ("c < 3", False),  # nothing is less than nothing
        ("d < 3", False),
        ("1 < a.b <= 3", True),
        ("failed(a) or a.b == -3", False),
        ("c == nothing", True),
        ("d[7]", False),
    ],
)
def test_conditions_compare_and_join(text: str, holds: bool) -> None:
    values = {"$a.b": 3, "$c": None, "$d": ("y", "z"), "$d.0": "y"}
    assert read_condition(text).holds(lambda one: values.get(str(one)), lambda name: False) is holds


@pytest.mark.parametrize(
    "text", ["open('x')", "a.b()", "a.__class__", "[x for x in a]", "lambda: 1", "a if b else c", "f'{a}'", "a + b", ""]
)
def test_a_condition_is_no_code(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_condition(text)


def test_a_reference_never_leaves_what_was_given() -> None:
    with pytest.raises(ConfigError, match="is not a reference"):
        _refuse(flow_of(GOOD.replace("$input.question", "$input.__class__", 1), "mine.toml"))


def _refuse(flow: Flow) -> None:
    for one in checked(flow)[1]:
        raise ConfigError(one.reason, cure=one.cure)


async def unannotated(context: FlowContext, text) -> str:  # noqa: ANN001
    return text


async def clashing(context: FlowContext, *, when: str) -> str:
    return when


async def contextless(text: str) -> str:
    return text


def blocking(context: FlowContext, *, text: str) -> str:
    return text


@pytest.mark.parametrize("function", [unannotated, clashing, contextless, blocking])
def test_what_is_no_operator_is_refused(function: object) -> None:
    with pytest.raises(ConfigError, match="is not an operator"):
        operator_of(function)  # pyright: ignore[reportArgumentType]


def test_what_an_operator_gives_can_be_kept() -> None:
    async def handle(context: FlowContext) -> FlowPlan:
        raise NotImplementedError

    async def thing(context: FlowContext) -> type[int]:
        raise NotImplementedError

    problems = checked(Flow("x").step("a", thing).gives(a="$a"))[1]
    assert [one.place for one in problems] == ["steps.a"]
    assert "cannot be kept" in problems[0].reason


def test_marks_are_read() -> None:
    @operator(effects="once", needs=("chat",))
    async def pay(context: FlowContext, *, amount: int, to: str | None = None) -> int:
        return amount

    read = operator_of(pay, "pay")
    assert (read.effects, read.needs) == ("once", ("chat",))
    assert [(name, one.required) for name, one in read.inputs.items()] == [("amount", True), ("to", False)]


@pytest.mark.parametrize("name", templates())
def test_pictures_have_every_step_and_every_edge(name: str) -> None:
    plan, problems = checked(read_flow(name))
    assert not problems
    lines, mermaid, svg = "\n".join(as_lines(plan)), as_mermaid(plan), as_svg(plan)
    edges = sum(len(node.before) + len(node.back) for node in plan.nodes.values())
    assert svg.count("<rect") == len(plan.nodes)
    assert svg.count('marker-end="url(#arrow)"') == edges
    for node in plan.nodes.values():
        assert f"{node.name}: {node.operator.name}" in lines
        for before in node.before:
            assert f"  {before} -->" in mermaid
    assert str(Reference("answer")) == "$answer"
