"""A filter over a field that no document has is noted, with what was meant; of hidden documents nothing is told."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner

from rove import AsyncRove, FieldWarning, Rove, Text, field
from rove.cli import rove
from rove.events import Event, Noted
from rove.records import Note
from rove.records.filter import AccessFilter
from rove.store.field_names import FieldNames

PUBLIC, HIDDEN = AccessFilter("access", "in", ("all",)), {"access": ("few",), "salary": 3}
TEXTS = [
    Text("Remote work.", id="en", metadata={"topic": "hr", "access": ("all",), "a": {"b": 1}}),
    Text("Heimarbeit.", id="de", metadata={"topic": "hr", "Jahr": 2024, "access": ("all",)}),
    Text("在宅勤務。", id="ja", metadata={"題目": "人事", "access": ("all",)}),
]


def test_a_field_that_nothing_has_is_noted_with_what_was_meant(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        assert kb.notes_on(field("topic") == "hr") == [Note("no-field", {"name": "topic"})]
        kb.add(*TEXTS)
        for where, said in [
            (None, []),
            (field("topic") == "hr", []),
            (~(field("a.b") > 0) | field("title").exists() | (field("page") == 1), []),
            (field("topci") == "hr", ["No document has a field 'topci'. Did you mean 'topic'?"]),
            (~(field("jahr") == 1) & field("題日").exists(), [
                "No document has a field 'jahr'. Did you mean 'Jahr'?",
                "No document has a field '題日'. Did you mean '題目'?",
            ]),
            (field("quite_other").in_(["x"]), ["No document has a field 'quite_other'."]),
            (field("lenguage") == "de", ["No document has a field 'lenguage'. Did you mean 'language'?"]),
        ]:  # fmt: skip
            heard: list[Event] = []
            kb.search("work", where=where, listener=heard.append)
            assert [event.text for event in heard if isinstance(event, Noted)] == said
            assert kb.ask("work", where=where).note.startswith(" ".join(said))


@pytest.mark.filterwarnings("always::rove.FieldWarning")
def test_who_does_not_listen_is_warned_at_the_line_that_asks(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add(*TEXTS)
        with warnings.catch_warnings(record=True) as warned:
            kb.search("work", where=field("topci") == "hr")
            assert [(str(one.message), one.category, one.filename) for one in warned] == [
                ("No document has a field 'topci'. Did you mean 'topic'?", FieldWarning, __file__)
            ]
            kb.search("work", where=PUBLIC & (field("topic") == "hr"))
            kb.search("work", where=field("topci") == "hr", listener=lambda _: None)
            assert "Did you mean 'topic'?" in kb.ask("work", where=field("topci") == "hr").note
            assert len(warned) == 1
        with warnings.catch_warnings(action="error"), pytest.raises(FieldWarning, match="題目"):
            kb.search("work", where=field("題日").exists())


@pytest.mark.filterwarnings("always::rove.FieldWarning")
async def test_who_waits_for_it_is_warned_at_the_line_that_asks_too(tmp_path: Path) -> None:
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as kb:
        await kb.add(*TEXTS)
        with warnings.catch_warnings(record=True) as warned:
            await kb.search("work", where=field("jahr") == 1)
        ((said, where),) = [(str(one.message), one.filename) for one in warned]
    assert said == "No document has a field 'jahr'. Did you mean 'Jahr'?"
    assert where == __file__


CALLS = ("delete", "mentions", "gather", "understand")


@pytest.mark.filterwarnings("always::rove.FieldWarning")
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("waits", [False, True])
async def test_every_call_with_a_filter_says_it(call: str, waits: bool, tmp_path: Path) -> None:
    names = ("work",) if call in {"gather", "understand"} else ()
    where, said = field("題日") == "人事", "No document has a field '題日'. Did you mean '題目'?"
    heard: list[Event] = []
    with warnings.catch_warnings(record=True) as warned:
        if waits:
            async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as kb:
                await kb.add(*TEXTS)
                await getattr(kb, call)(*names, where=where)
                await getattr(kb, call)(*names, where=where, listener=heard.append)
                await getattr(kb, call)(*names, where=field("題目") == "")
        else:
            with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
                kb.add(*TEXTS)
                getattr(kb, call)(*names, where=where)
                getattr(kb, call)(*names, where=where, listener=heard.append)
                getattr(kb, call)(*names, where=field("題目") == "")
    assert [(str(one.message), one.category, one.filename) for one in warned] == [(said, FieldWarning, __file__)]
    assert [event.text for event in heard if isinstance(event, Noted)] == [said]


@pytest.mark.parametrize("waits", [False, True])
async def test_where_the_warning_is_an_error_nothing_is_erased(waits: bool, tmp_path: Path) -> None:
    every = field("topci") != "hr"  # a field that is missing passes
    with warnings.catch_warnings(action="error"):
        if waits:
            async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as kb:
                await kb.add(*TEXTS)
                with pytest.raises(FieldWarning, match="Did you mean 'topic'"):
                    await kb.delete(where=every)
                assert len(await kb.documents()) == len(TEXTS)
        else:
            with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
                kb.add(*TEXTS)
                with pytest.raises(FieldWarning, match="Did you mean 'topic'"):
                    kb.delete(where=every)
                assert len(kb.documents()) == len(TEXTS)


def test_a_walk_says_it_in_its_answer(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add(*TEXTS, Text("Secret.", id="x", metadata=HIDDEN))
        for name in ("topci", "salary"):
            note = kb.walk("Remote work?", where=PUBLIC & (field(name) == "hr")).answered().note
            assert note.startswith(f"No document has a field {name!r}.")
        assert "No document has" not in kb.walk("Remote work?", where=PUBLIC & field("a.b").exists()).answered().note


def test_hidden_documents_change_nothing_of_what_is_told(tmp_path: Path) -> None:
    told: list[list[str]] = []
    for hidden in (True, False):
        with Rove.open(tmp_path / str(hidden), embedder={"name": "fake"}) as kb:
            kb.add(*TEXTS, *([Text("Secret.", id="x", metadata=HIDDEN)] if hidden else []))
            wheres = [field("salary") > 1, field("salery") > 1, field("topic") == "x", field("access") == "few"]
            told.append([note.text("en") for where in wheres for note in kb.notes_on(PUBLIC & where)])
            assert bool(kb.notes_on(field("salary") > 1)) is not hidden
    assert told[0] == told[1] == ["No document has a field 'salary'.", "No document has a field 'salery'."]


def test_names_are_looked_up_once_for_each_state_of_the_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[object] = []
    look = FieldNames._look
    monkeypatch.setattr(
        FieldNames, "_look", lambda self, access_filter: looked.append(access_filter) or look(self, access_filter)
    )
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add(*TEXTS)
        for _ in range(5):
            kb.search("work", where=field("topci") == "hr", listener=lambda _: None)
            kb.search("work", where=PUBLIC & (field("topic") == "hr"))
        assert looked == [None, PUBLIC]
        kb.add(Text("More.", metadata={"topci": "now it is there"}))
        kb.search("work", where=field("topic") == "hr")  # known already: no look
        assert len(looked) == 2
        assert kb.notes_on(field("topci") == "hr") == []
        assert len(looked) == 3


def test_the_command_line_says_it_on_standard_error(tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        kb.add(*TEXTS)
    for command in (["search", "work"], ["search", "work", "--json"], ["ask", "work"], ["delete"]):
        run = CliRunner().invoke(
            rove, [*command, "-k", str(tmp_path / "kb"), "-s", "embedder.name=fake", "--where", "topci=hr"]
        )
        assert run.exit_code == 0, run.output
        assert "Did you mean 'topic'?" in run.stderr
        if "--json" in command:
            assert json.loads(run.stdout) == []
