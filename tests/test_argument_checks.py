"""Whatever is given to a public call, it is a result or an error of Rove's own, which says what to give."""

from __future__ import annotations

import asyncio
import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from rove import AsyncRove, FieldWarning, InputError, Rove, RoveError, Text, field
from rove.argument_checks import Positive, all_checked, called, fits_hint
from rove.load.web.plan import CrawlPlan
from rove.records import History
from rove.records.walk_events import Budget
from rove.retrieve.explore import Reach
from rove.sync.blocking_memory import Memory
from rove.sync.blocking_tools import Tools
from rove.sync.blocking_walk import Walk

FAKE: Mapping[str, Any] = {"embedder": {"name": "fake"}}
ODD: tuple[object, ...] = (
    None, True, 0, -1, 5, 2.5, float("nan"), "", "\0", "nope", "x" * 3_000, b"x", [], [None], {}, {"a": 1}, (1, 2),
    (1, "2"), object(), repr, int, Path("nowhere"), Text("x"), field("a") == 1, field("a"), CrawlPlan(), {1, 2},
)  # fmt: skip
SANE: Mapping[str, Any] = {
    "question": "Who signs?", "request": "Who signs?", "name": "graph", "document_id": "a", "span": (0, 5), "lines": [],
    "entries": {}, "walk_id": "last", "sql": "SELECT 1", "text": "The harbour", "fact_id": "x", "edit": None,
    "conversation_id": "0123456789abcdef", "number": 1, "before": "The h",
    "memory_id": "x", "budget": Budget(), "file": "no/folder/file", "item_id": "x", "verdict": "accept",
}  # fmt: skip
"""What is given for the arguments that a call needs, while another one is odd."""
UNTRIED = {"close", "open", "migrate", "watch"}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    with Rove.open(tmp_path_factory.mktemp("base") / "kb", **FAKE) as made:
        made.add(Text("The harbour master signs the permit.", id="a"), Text("Der Lotse wartet an der Boje.", id="b"))
        list(made.walk("Who signs?"))
        yield made


def public_calls(face: type) -> list[str]:
    named = (name for name in dir(face) if not name.startswith("_") and name not in UNTRIED)
    return [name for name in named if inspect.isfunction(inspect.getattr_static(face, name))]


def tried(call: Callable[..., Any]) -> Iterator[tuple[str, object, Exception]]:
    """Give each parameter each odd value in turn; yields what went wrong in another way than Rove's own."""
    parameters = inspect.signature(call).parameters
    needed = {name: SANE[name] for name, one in parameters.items() if name in SANE and one.default is one.empty}
    for name, parameter in parameters.items():
        for value in ODD:
            several = parameter.kind is parameter.VAR_POSITIONAL
            given = {**needed, **({} if several else {name: value})}
            try:
                found = call(*([value] if several else []), **given)
                if isinstance(found, Iterator) or inspect.isgenerator(found):
                    list(islice(found, 3))
                if isinstance(found, Walk):
                    found.close()
            except RoveError as error:
                if not (error.reason and error.cure):
                    yield name, value, error
            except Exception as error:  # noqa: BLE001 - that is what is looked for
                yield name, value, error


@pytest.mark.parametrize("name", public_calls(Rove))
def test_odd_arguments_of_a_base(name: str, kb: Rove, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FieldWarning)
        assert list(tried(getattr(kb, name))) == []
    kb.add(Text("The harbour master signs the permit.", id="a"))


@pytest.mark.parametrize("name", public_calls(Walk))
def test_odd_arguments_of_a_walk(name: str, kb: Rove) -> None:
    walk = kb.walk("Who signs?")
    assert list(tried(getattr(walk, name))) == []
    walk.close()


@pytest.mark.parametrize("name", public_calls(Memory))
def test_odd_arguments_of_the_memory(name: str, kb: Rove) -> None:
    assert list(tried(getattr(kb.memory(), name))) == []


@pytest.mark.parametrize("name", public_calls(Tools))
def test_odd_arguments_of_the_tools(name: str, kb: Rove) -> None:
    assert list(tried(getattr(kb.tools, name))) == []


@pytest.mark.parametrize("face", [Rove, AsyncRove])
def test_odd_arguments_of_open(face: type[Rove], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for value in (None, 5, True, b"kb", ["kb"], object(), "\0", "postgresql://"):
        with pytest.raises(RoveError):
            face.open(value, **FAKE)
    for name in ("embedder", "reranker", "chat", "index", "search", "also", "create", "preset"):
        for value in (5, "x", [1], object()):
            with pytest.raises(RoveError):
                face.open("kb", **{name: value})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"question": 5}, "question is 5, of type int. Give text."),
        ({"top_k": "3"}, "top_k is '3', of type str. Give a whole number from 1 on or None."),
        ({"top_k": 0}, "top_k is 0, of type int"),
        ({"top_k": True}, "top_k is True, of type bool"),
        ({"where": True}, 'where is True, of type bool. Give a filter, as {"topic": "hr"} or field("topic") == "hr".'),
        ({"where": {"topic": {"hr": 1}}}, 'of type dict. Give a filter, as {"topic": "hr"}'),
        ({"rerank": "yes"}, "rerank is 'yes', of type str. Give True or False or None."),
    ],
)
def test_an_error_says_which_argument_and_what_to_give(arguments: dict[str, Any], said: str, kb: Rove) -> None:
    with pytest.raises(InputError) as caught:
        kb.search(**{"question": "Who signs?", **arguments})
    assert str(caught.value).startswith("search: ")
    assert said in str(caught.value)


def test_what_is_within_an_argument_is_looked_at_too(kb: Rove) -> None:
    for call, said in (
        (lambda: kb.walk("Who?", budget=Budget(rounds="4")), "budget.rounds"),
        (lambda: kb.explore("x", reach=Reach(depth="1")), "reach.depth"),
        (lambda: kb.add(Text(5)), "sources.text"),
        (lambda: kb.add(["a.md", 5]), "sources"),
        (lambda: kb.add(item for item in (Text("x", id="b"), 5)), "sources is 5"),
        (lambda: kb.explore("x", documents="abc"), "documents"),
        (lambda: kb.respond("x", history=[]), "history"),
    ):
        with pytest.raises(InputError, match=said):
            call()


def test_what_an_array_or_a_table_gives_is_a_number(kb: Rove) -> None:
    numpy = pytest.importorskip("numpy")
    assert len(kb.search("harbour", top_k=numpy.int64(1), min_score=numpy.float32(-9))) == 1


def test_an_unknown_document_has_no_text(kb: Rove) -> None:
    assert kb.text("a").startswith("The harbour")
    with pytest.raises(InputError, match="There is no document 'nope'"):
        kb.text("nope")


def test_the_async_face_says_it_when_it_is_awaited(tmp_path: Path) -> None:
    async def used() -> None:
        async with AsyncRove.open(tmp_path / "kb", **FAKE) as kb:
            assert inspect.iscoroutinefunction(kb.search)
            with pytest.raises(InputError, match="top_k"):
                await kb.search("x", top_k=-1)
        for call in (lambda: kb.search("x"), kb.documents, lambda: kb.add("x"), lambda: kb.text("x")):
            with pytest.raises(InputError, match="is closed"):
                await call()
        await kb.close()

    asyncio.run(used())


def test_a_base_is_moved_beside_a_running_event_loop(tmp_path: Path) -> None:
    """As in a notebook."""
    with Rove.open(tmp_path / "kb", **FAKE) as kb:
        kb.add(Text("The harbour master signs the permit.", id="a"))

    async def notebook() -> int:
        return Rove.migrate(tmp_path / "kb", **FAKE).passages

    assert asyncio.run(notebook()) == 1
    assert "Let a base have another embedder" in (Rove.migrate.__doc__ or "")


def test_a_class_of_another_package_can_be_checked() -> None:
    @all_checked
    class Counter:
        def count(self, step: Positive, *, history: History | None = None) -> int:
            return step

        @staticmethod
        def name() -> str:
            return "counter"

    assert Counter().count(2) == 2
    assert Counter.name() == "counter"
    with pytest.raises(InputError, match="count: step is 0"):
        Counter().count(0)
    with pytest.raises(TypeError, match="step"):
        Counter().count()  # type: ignore[call-arg]


def test_what_cannot_be_told_fits() -> None:
    assert fits_hint(object(), Any)
    assert fits_hint(iter([1]), list[int]) is False
    assert called(tuple[int, int]) == "a pair: a whole number, a whole number"
