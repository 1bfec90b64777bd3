"""Conversations in the catalog, in SQLite and in Postgres; in a base that an older Rove made, and in a torn one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from secrets import token_hex

import psycopg
import pytest

import postgres_server
from rove import Rove, Text
from rove.conversation.erasure import erase_from_conversations
from rove.conversation.kept_turns import KeptReply, from_text, left_of, to_text
from rove.errors import InputError
from rove.records import Answer, Chunk, Citation, Hit, Sentence
from rove.settings import Address
from rove.store import conversation_log
from rove.store.conversation_log import ASKED, DONE, STOPPED, TITLE_CHARS, ConversationLog
from rove.sync.rebuilding import rebuild_base

FAKE = {"name": "fake"}


@pytest.fixture(params=["sqlite", "postgres"])
def kb(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rove]:
    """A base of either kind, with two documents."""
    if request.param == "sqlite":
        with Rove.open(tmp_path / "kb", embedder=FAKE) as opened:
            yield filled(opened)
        return
    monkeypatch.setenv("ROVE_DATA", str(tmp_path / "here"))
    address = postgres_server.base(f"b{token_hex(8)}")
    with Rove.open(address, embedder=FAKE) as opened:
        yield filled(opened)
    with psycopg.connect(Address(address).url, autocommit=True) as connection:
        connection.execute(f'DROP SCHEMA IF EXISTS "{Address(address).schema}" CASCADE')


def filled(kb: Rove) -> Rove:
    kb.add(Text("Ada approves it.", id="a", title="A"), Text("Bob pays for it.", id="b", title="B"))
    return kb


def log_of(kb: Rove) -> ConversationLog:
    return ConversationLog(kb._kb.store.catalog.database)


def hit(document_id: str, text: str) -> Hit:
    return Hit(
        Chunk(f"{document_id}:0", document_id, text, (0, len(text)), 0, metadata={"n": 1}), 1.0, title=document_id
    )


def answered(*documents: str, mode: str = "extractive", standalone: str = "") -> KeptReply:
    """An answer of one sentence of each document."""
    hits = tuple(hit(one, f"Words of {one}.") for one in documents)
    cites = [
        Citation(number, f"{one}:0", one, "", one, f"Words of {one}.", (0, 11))
        for number, one in enumerate(documents, 1)
    ]
    sentences = tuple(Sentence(one.quote, (one,)) for one in cites)
    text = "\n\n".join(f"{one.quote} [{one.number}]" for one in cites)
    return KeptReply(
        Answer("Q?", text, mode, "en", sentences, hits, short=cites[0], note=f"Words of {documents[0]}."),
        standalone=standalone,
    )


def asked(log: ConversationLog, at: str, question: str = "Q?", reply: KeptReply | None = None, **more: object) -> str:
    """Ask and answer; returns the turn's run."""
    turn = log.ask(at, "answer", question, where="", labels="", **more)  # pyright: ignore[reportArgumentType]
    if reply:
        assert log.finish(at, turn, DONE, to_text(reply))
    return turn.run


def test_kept_for_its_owner(kb: Rove) -> None:
    log = log_of(kb)
    mine, other = log.begin("anna"), log.begin("bob", "Plans")
    assert log.get("anna", mine.conversation_id) == mine
    assert log.get("bob", mine.conversation_id) is None
    assert [one.title for one in log.listed("bob")[0]] == ["Plans"]
    asked(log, mine.conversation_id, "Wer genehmigt   die Fernarbeit?\n")
    asked(log, other.conversation_id, "Who?")
    assert log.get("anna", mine.conversation_id).title == "Wer genehmigt die Fernarbeit?"
    assert log.get("bob", other.conversation_id).title == "Plans"
    asked(log, mine.conversation_id, "x" * 500, after=0)
    title = log.get("anna", mine.conversation_id).title
    assert (len(title), title[-1]) == (TITLE_CHARS, "…")
    log.rename(mine.conversation_id, "N\0ame")
    assert log.get("anna", mine.conversation_id).title == "N\N{REPLACEMENT CHARACTER}ame"
    log.forget(mine.conversation_id)
    assert log.listed("anna") == ([], None) and log.turns(mine.conversation_id) == []
    with pytest.raises(InputError, match="no such conversation"):
        asked(log, mine.conversation_id)
    assert len(log.turns(other.conversation_id)) == 1


def test_pages_and_words(kb: Rove) -> None:
    log = log_of(kb)
    ids = [log.begin("anna", f"Talk {number}").conversation_id for number in range(5)]
    asked(log, ids[0], "ÜBERSTUNDEN, 远程办公？")
    everything, following = log.listed("anna", first=0, most=2)
    assert [one.title for one in everything] == ["Talk 0", "Talk 4"] and following == 2
    assert [one.title for one in log.listed("anna", first=4, most=2)[0]] == ["Talk 1"]
    assert log.listed("anna", first=4, most=2)[1] is None
    for query, found in (("überstunden talk", 1), ("远程", 1), ("TALK", 5), ("talk 3", 1), ("nothing", 0), ("%", 5)):
        assert len(log.listed("anna", query)[0]) == found, query
    page, following = log.listed("anna", "talk", first=1, most=2)
    assert [one.title for one in page] == ["Talk 4", "Talk 3"] and following == 3


def test_an_answer_comes_under_its_own_question_only(kb: Rove) -> None:
    """The one that was asked anew meanwhile, or was taken away, gets no answer of an earlier run."""
    log = log_of(kb)
    at = log.begin("anna").conversation_id
    first = log.ask(at, "answer", "Old?", where="", labels="")
    second = log.ask(at, "answer", "New?", where="", labels="", after=0)
    assert (first.number, second.number) == (1, 1)
    assert not log.finish(at, first, DONE, to_text(answered("a")))
    assert [(one.question, one.state, one.reply) for one in log.turns(at)] == [("New?", ASKED, "")]
    third = log.ask(at, "answer", "Next?", where='{"field":"x"}', labels='["staff"]')
    assert [one.state for one in log.turns(at)] == [STOPPED, ASKED], "who asks next has the conversation"
    log.stop(at)
    assert [one.state for one in log.turns(at)] == [STOPPED, STOPPED]
    assert log.finish(at, third, DONE, ""), "it was only said to have stopped"
    assert log.turns(at)[1].where == '{"field":"x"}'


def test_bounds(kb: Rove, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation_log, "MOST_CONVERSATIONS", 2)
    monkeypatch.setattr(conversation_log, "MOST_TURNS", 2)
    log = log_of(kb)
    at = log.begin("anna").conversation_id
    log.begin("anna")
    with pytest.raises(InputError, match="2 conversations"):
        log.begin("anna")
    log.begin("bob")
    for _ in range(2):
        asked(log, at)
    with pytest.raises(InputError, match="2 turns"):
        asked(log, at)
    asked(log, at, after=1)
    assert [one.number for one in log.turns(at)] == [1, 2]


def test_judged(kb: Rove) -> None:
    log = log_of(kb)
    at = log.begin("anna").conversation_id
    for labels in ("", '["staff"]', ""):
        log.ask(at, "answer", f"Q {labels}?", where="", labels=labels)
    for number in (1, 2):
        log.judge(at, number, "up", "fi\0ne")
    assert [(owner, turn.number, turn.comment) for owner, turn in log.judged()] == [
        ("anna", 1, "fi\N{REPLACEMENT CHARACTER}ne")
    ]
    assert [turn.number for _, turn in kb.judged_turns()] == [1]
    log.judge(at, 1, "", "")
    assert log.judged() == []


def test_erased(kb: Rove) -> None:
    """Sentences and hits go; what models wrote after they had seen it goes whole; the rest stays."""
    log = log_of(kb)
    at, other = log.begin("anna").conversation_id, log.begin("bob").conversation_id
    asked(log, at, reply=answered("b", standalone="of b"))
    asked(log, at, reply=answered("a", "b", standalone="of a"))
    asked(log, at, reply=KeptReply(hits=(hit("a", "Words of a."), hit("b", "Words of b."))))
    asked(log, at, reply=answered("b", mode="some model", standalone="after a"))
    asked(log, at, reply=answered("b", standalone="after a"))
    asked(log, other, reply=answered("b", mode="some model"))
    untouched = log.turns(other)
    loose = asked(log, other, reply=KeptReply(Answer("Q?", "Which?\n\n- A", "clarifying", "en"), loose=True))
    assert erase_from_conversations(kb._kb.store.catalog.database, ["a"]) == 2
    first, second, third, fourth, fifth = (from_text(turn.reply) for turn in log.turns(at))
    assert first == answered("b", standalone="of b")
    assert second.answer is not None and second.answer.text == "Words of b. [1]"
    assert [one.document_id for one in second.answer.citations] == ["b"] and second.answer.short is None
    assert [one.chunk.document_id for one in third.hits or ()] == ["b"]
    assert fourth.answer is None and fourth.withheld
    assert fifth.answer == answered("b").answer and not fifth.standalone
    assert log.turns(other)[:1] == untouched
    assert {turn.run: from_text(turn.reply).answer for turn in log.turns(other)}[loose] is None
    assert "Words of a" not in "".join(turn.reply for turn in log.turns(at))
    assert erase_from_conversations(kb._kb.store.catalog.database, ["a"]) == 0


def test_a_walk_that_rests_on_it(kb: Rove) -> None:
    """Later questions may be written out by what the walk has found."""
    walk = kb.walk("Who approves it?")
    walk.answered()
    log = log_of(kb)
    at = log.begin("anna").conversation_id
    asked(log, at, reply=KeptReply(walk_id=walk.walk_id))
    asked(log, at, reply=answered("b", standalone="since when Ada?"))
    kb.delete("a")
    assert [from_text(turn.reply).standalone for turn in log.turns(at)] == ["", ""]
    assert from_text(log.turns(at)[0].reply).walk_id == walk.walk_id


def test_what_is_left_of_replies() -> None:
    refused = KeptReply(Answer("Q?", "No.", "refused", "en", (), (hit("a", "x"), hit("b", "y")), note="Words of a"))
    (left,) = left_of([refused], {"a"})
    assert left.answer is not None
    assert ([one.chunk.document_id for one in left.answer.nearest], left.answer.note) == (["b"], "")
    assert left_of([answered("a", "b", mode="some model")], {"a"})[0].answer is None
    assert left_of([answered("a", mode="unsourced")], set()) == [answered("a", mode="unsourced")]
    quoting = answered("a", "b")
    assert quoting.answer is not None
    written = (*quoting.answer.sentences, Sentence("Words of a, it wrote.", (), "unsourced", deleted=True))
    beside = replace(quoting, answer=replace(quoting.answer, sentences=written))
    (left,) = left_of([beside], {"a"})
    assert left.answer is not None and "Words of a" not in str(left.answer.sentences)
    thought = replace(quoting, answer=replace(quoting.answer, thoughts="Words of a, it thought."))
    assert "it thought" not in str(left_of([thought], {"a"}))
    plain = answered("b")
    assert plain.answer is not None
    after = replace(plain, answer=replace(plain.answer, thoughts="It had read a before."))
    assert "had read" not in str(left_of([quoting, after], {"a"}))
    later = replace(plain, answer=replace(plain.answer, sentences=(*plain.answer.sentences, written[-1])))
    assert left_of([quoting, plain], {"a"})[1].answer is not None
    assert left_of([quoting, later], {"a"})[1].answer is None, "it was written after the model had seen them"
    alike = Hit(hit("b", "x").chunk, 1.0, same=(hit("a", "x"),), beside=(hit("a", "y"),))
    (left,) = left_of([KeptReply(hits=(alike,))], {"a"})
    assert left.hits is not None and (left.hits[0].same, left.hits[0].beside) == ((), ())


def test_named_by_their_users(kb: Rove) -> None:
    log = log_of(kb)
    at, other = log.begin("anna", "About the Kukutyin report").conversation_id, log.begin("bob").conversation_id
    asked(log, other, "Who pays?")
    found = kb.mentions("Kukutyin report")
    assert found.conversations == (at,)
    assert kb.forget_mentions("Kukutyin report").conversations == (at,)
    assert [log.get("anna", at), log.get("bob", other) is not None] == [None, True]


def test_an_older_base(tmp_path: Path) -> None:
    """One that was made before there were conversations gets their tables when it is opened."""
    with Rove.open(tmp_path / "kb", embedder=FAKE) as kb:
        filled(kb)
    with closing(sqlite3.connect(tmp_path / "kb" / "catalog.sqlite")) as connection:
        connection.executescript("DROP TABLE conversation_turns; DROP TABLE conversations")
    with Rove.open(tmp_path / "kb", embedder=FAKE) as kb:
        assert asked(log_of(kb), log_of(kb).begin("anna").conversation_id)
        assert len(kb.documents()) == 2


def test_a_torn_catalog_keeps_them(tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb", embedder=FAKE) as kb:
        filled(kb)
        at = log_of(kb).begin("anna").conversation_id
        asked(log_of(kb), at, reply=answered("a", "b"))
        kept = log_of(kb).turns(at)
    with closing(sqlite3.connect(tmp_path / "kb" / "catalog.sqlite")) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        row = "SELECT 'lost', number, way, question, \"where\", asked_at, run, state, reply, labels, judgement, comment"
        connection.execute(f"INSERT INTO conversation_turns {row} FROM conversation_turns")  # noqa: S608
        connection.commit()
    rebuild_base("here", tmp_path / "kb", embedder=FAKE)
    with Rove.open(tmp_path / "kb", embedder=FAKE) as kb:
        assert [one.conversation_id for one in log_of(kb).listed("anna")[0]] == [at]
        assert log_of(kb).turns(at) == kept and log_of(kb).turns("lost") == []


def test_an_export_leaves_them_out(tmp_path: Path) -> None:
    """They are their owners' own: a base that is handed on has none."""
    with Rove.open(tmp_path / "kb", embedder=FAKE) as kb:
        asked(log_of(filled(kb)), log_of(kb).begin("anna").conversation_id, "Who is Zwirbel?")
        assert not [line for line in kb.export() if "Zwirbel" in line]
