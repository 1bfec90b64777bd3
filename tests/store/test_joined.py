"""Several bases read as one find what one base with all of their documents finds, to the last digit."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from rove import Rove, Text
from rove.errors import ConfigError, InputError
from rove.records import DocumentInfo
from rove.records.filter import AccessFilter, field
from rove.retrieve import RETRIEVERS
from rove.retrieve.explore import Reach
from rove.settings import read_settings
from rove.store.resident import KEPT_FROM

FAKE = {"name": "fake"}
WORDS = {
    "en": ["holiday", "password", "renewed", "office", "manager", "approves", "remote", "work", "travel", "costs"],
    "de": ["Urlaub", "Passwort", "erneuert", "Büro", "Leitung", "genehmigt", "Heimarbeit", "Reise", "Kosten"],
    "hu": ["szabadság", "jelszó", "megújul", "iroda", "vezető", "jóváhagyja", "távmunka", "utazás", "költség"],
    "zh": ["年假", "密码", "更新", "办公室", "经理", "批准", "远程", "工作", "出差", "费用"],
    "ja": ["休暇", "パスワード", "更新", "オフィス", "部長", "承認", "在宅", "勤務", "出張", "費用"],
}
QUESTIONS = (
    "Who approves remote work?",
    "Wer genehmigt Heimarbeit?",
    "Ki hagyja jóvá a távmunkát?",
    "谁批准出差费用？",
    "休暇の承認",
)
STAFF = AccessFilter("access", "in", ("staff",))


def text(name: str, seed: str = "") -> Text:
    """A document that speaks of others by their titles, says who approves what, and asks something."""
    chance = random.Random(f"{name} {seed}")
    language = chance.choice(sorted(WORDS))
    space = "" if language in {"zh", "ja"} else " "
    stop = "。" if language in {"zh", "ja"} else "."
    sentences = [space.join(chance.choices(WORDS[language], k=8)) + stop for _ in range(chance.randint(2, 6))]
    other = f"Marie Curie {chance.randrange(12)}"
    said = [f"{other} discovered {chance.choice(['Polonium', 'Radium'])} in {chance.choice(['Paris', 'Warsaw'])}."]
    body = "\n\n".join(
        [f"# {name}", *sentences, *said, "## What is it?", "It is a " + chance.choice(WORDS["en"]) + "."]
    )
    access = ("staff",) if chance.random() < 0.6 else ("board",)
    return Text(
        body, id=name, title=f"Marie Curie {chance.randrange(12)}", kind="markdown", metadata={"access": access}
    )


def opened(folder: Path, *also: Path, **more: object) -> Rove:
    return Rove.open(folder, embedder=FAKE, also=list(also), question={"log": False}, **more)


def documents_of(folder: Path) -> list[DocumentInfo]:
    with opened(folder) as kb:
        return kb.documents()


def found(kb: Rove, mode: str, question: str, where: AccessFilter | None = None) -> list[tuple[object, ...]]:
    hits = kb.search(question, mode=mode, where=where, top_k=6)
    return [(hit.chunk.chunk_id, hit.score, hit.sources, hit.chunk.text, hit.uri) for hit in hits]


def assert_alike(one: Rove, several: Rove, modes: Sequence[str], questions: Sequence[str] = QUESTIONS) -> None:
    for mode in modes:
        for question in questions:
            for where in (None, STAFF):
                assert found(several, mode, question, where) == found(one, mode, question, where), (mode, question)


@pytest.fixture
def halves(tmp_path: Path) -> tuple[Path, Path, Path]:
    """One base with all documents, and two with a half each; with a graph and summaries."""
    texts = [text(f"d{number}") for number in range(40)]
    places = tmp_path / "one", tmp_path / "first", tmp_path / "second"
    for place, some in zip(places, (texts, texts[:20], texts[20:]), strict=True):
        with opened(place) as kb:
            kb.add(*some)
            kb.enrich("graph")
            kb.enrich("summaries")
    return places


def test_every_mode_ranks_two_halves_as_one_base(halves: tuple[Path, Path, Path]) -> None:
    with opened(halves[0]) as one, opened(halves[1], halves[2]) as several:
        assert_alike(one, several, list(RETRIEVERS.table))
        for question in QUESTIONS:
            assert several.ask(question) == one.ask(question)
        assert [theme.name for theme in several.themes()] == [theme.name for theme in one.themes()]
        for name in ("Marie Curie 3", "Polonium"):
            for where in (None, STAFF):
                reach = Reach(depth=3, fan=3, limit=20)
                ours, theirs = (kb.explore(name, reach=reach, where=where) for kb in (several, one))
                assert ours == theirs


def test_what_is_shown_of_a_document_is_shown_of_any(halves: tuple[Path, Path, Path]) -> None:
    with opened(halves[0]) as one, opened(halves[1], halves[2]) as several:
        assert {info.document_id for info in several.documents()} == {info.document_id for info in one.documents()}
        for name in ("d3", "d33"):
            assert several.document(name)[1] == one.document(name)[1]
            assert several.summary(name) == one.summary(name)
            assert several.document_graph(name) == one.document_graph(name)
        assert several.named("d33")[0].title == one.named("d33")[0].title
        with pytest.warns(match="topic"):
            several.search("x", where=field("topic") == "hr")


@pytest.mark.parametrize("seed", range(3))
def test_they_are_followed_whatever_happens_to_them(tmp_path: Path, seed: int) -> None:
    """Documents come, change and go in both, and some are in both: then the first one's is read."""
    chance = random.Random(seed)
    held: dict[str, dict[str, str]] = {"first": {}, "second": {}}
    with opened(tmp_path / "one") as one, opened(tmp_path / "first") as first, opened(tmp_path / "second") as second:
        bases = {"first": first, "second": second}
        for kb in (one, first, second):
            kb.add(text("begun"))
        in_one = {"begun": ""}
        with opened(tmp_path / "first", tmp_path / "second") as several:
            for step in range(14):
                where = chance.choice(sorted(bases))
                names = [f"n{chance.randrange(9)}" for _ in range(chance.randint(1, 4))]
                for name in names:
                    if name in held[where] and chance.random() < 0.4:
                        bases[where].delete(name)
                        del held[where][name]
                    else:
                        version = chance.choice(["a", "b"])
                        bases[where].add(text(name, version))
                        held[where][name] = version
                wanted = {"begun": "", **held["second"], **held["first"]}
                for name in [name for name in in_one if name not in wanted]:
                    one.delete(name)
                one.add(*(text(name, version) for name, version in wanted.items() if in_one.get(name) != version))
                in_one = wanted
                assert_alike(one, several, ["hybrid", "walk"], QUESTIONS[step % 5 : step % 5 + 1])
                assert sorted(several._kb.store.documents.chunk_ids()) == sorted(one._kb.store.catalog.chunk_ids())


def test_a_large_base_begins_with_its_snapshot(tmp_path: Path) -> None:
    many = [Text(f"Paragraph {n} speaks of {n % 97} and {n % 89}.", id=f"m{n}") for n in range(KEPT_FROM + 50)]
    with opened(tmp_path / "one") as one:
        one.add(*many, text("late"))
    with opened(tmp_path / "first") as first:
        first.add(*many)
    with opened(tmp_path / "second") as second:
        second.add(text("late"))
    assert any((tmp_path / "first" / "resident").iterdir())
    with opened(tmp_path / "one") as one, opened(tmp_path / "first", tmp_path / "second") as several:
        assert_alike(one, several, ["hybrid"], (*QUESTIONS[:2], "What speaks of 45?"))
        with opened(tmp_path / "first") as first:
            first.delete("m45")
            one.delete("m45")
            assert_alike(one, several, ["hybrid"], ("What speaks of 45?",))


def test_what_is_written_goes_to_the_first_alone(tmp_path: Path) -> None:
    with opened(tmp_path / "second") as second:
        second.add(text("theirs"))
    before = (tmp_path / "second" / "catalog.sqlite").read_bytes()
    with opened(tmp_path / "first", tmp_path / "second") as several:
        several.add(text("ours"))
        several.enrich("graph")
        assert several.enrich("summaries").changed == 1
        for call in (
            lambda: several.delete("theirs"),
            lambda: several.keep_question("What is it?", "theirs", (0, 5)),
        ):
            with pytest.raises(InputError, match="theirs is in another base, which is only read here"):
                call()
        assert several.delete(where=field("type") == "markdown") == 1
        assert [info.document_id for info in several.documents()] == ["theirs"]
        assert several.doctor().ok
        assert [line for line in several.export() if '"theirs"' in line] == []
    assert (tmp_path / "second" / "catalog.sqlite").read_bytes() == before


def test_a_kept_question_of_any_base_answers(tmp_path: Path) -> None:
    with opened(tmp_path / "second") as second:
        second.add(Text("The door code is 4711. It changes monthly.", id="door"))
        second.keep_question("How do I get in?", "door", (0, 22))
    with opened(tmp_path / "first", tmp_path / "second") as several:
        several.add(text("ours"))
        assert several.ask("how do I get in").sentences[0].text == "The door code is 4711."


def test_walks_read_all_and_learn_in_the_first(halves: tuple[Path, Path, Path]) -> None:
    with opened(halves[0]) as one, opened(halves[1], halves[2]) as several:
        answers = []
        for kb in (several, one):
            walk = kb.walk("What did Marie Curie 3 discover?")
            list(walk)
            answers.append(walk.answered().sentences)
        assert answers[0] == answers[1]
        assert answers[0]
        learned = {fact.citation.document_id for fact in several.memory().facts()}
        assert learned <= {info.document_id for info in documents_of(halves[1])}


def test_bases_that_cannot_be_read_together_are_said(tmp_path: Path) -> None:
    with opened(tmp_path / "first"):
        pass
    with pytest.raises(ConfigError, match="There is no base in"):
        opened(tmp_path / "first", tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()
    with Rove.open(tmp_path / "other", embedder={"name": "fake", "dimension": 64}):
        pass
    with pytest.raises(ConfigError, match="was made with the embedder"):
        opened(tmp_path / "first", tmp_path / "other")
    with pytest.raises(ConfigError, match="same base"):
        opened(tmp_path / "first", tmp_path / "first")


def test_a_file_names_others_by_its_own_folder(tmp_path: Path) -> None:
    file = tmp_path / "sets" / "rove.toml"
    file.parent.mkdir()
    file.write_text('path = "kb"\nalso = ["../other", "/abs/olute"]\n', "utf-8")
    assert read_settings(file).also == (tmp_path / "sets" / ".." / "other", Path("/abs/olute"))
    file.write_text('also = "one"\n', "utf-8")
    with pytest.raises(ConfigError, match="also"):
        read_settings(file)
