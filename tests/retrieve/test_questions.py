"""Mode "questions": what a document asks and answers itself is given at once; what only looks alike is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cpu_time import at_most

from rove import AsyncRove, InputError, Rove, Text, field
from rove.records import Chunk, Hit, Note
from rove.retrieve.question_pairs import LONGEST_ANSWER, pairs_in
from rove.retrieve.stored_answers import stored_answers

STORED = Note("stored-answer")
FAQ = {
    "en": "# Help\n\nQ: How do I log in?\nA: Use your card.\nOr the PIN.\n\nQ: Who pays?\nA: The office pays.\n",
    "de": "# Hilfe\n\n## Wann öffnet die Kantine?\n\nUm acht Uhr.\n\n## Anfahrt\n\nMit dem Bus.\n",
    "hu": "K: Ki hagyja jóvá a kiküldetést?\nV: Az egységvezető.\n\nK: Mennyi a napidíj?\nV: Nyolcvan euró.\n\n"
    "K: cafeteria kerete?\nV: Havi húszezer.\n",
    "zh": "问：年假有多少天？\n答：十天。\n\n问：病假需要什么证明？\n答：医生证明。\n",
    "ja": "| 質問 | 回答 |\n|---|---|\n| 誰に連絡しますか？ | 総務課です。 |\n| いつ開きますか？ | 八時です。 |\n",
}
ASKED = {
    "how do i log in": ("en", "Use your card.\nOr the PIN."),
    "Wann öffnet die Kantine": ("de", "Um acht Uhr."),
    "ki hagyja jóvá a kiküldetést?": ("hu", "Az egységvezető."),
    "年假有多少天": ("zh", "十天。"),
    "いつ開きますか?": ("ja", "八時です。"),
}
ALIKE = {
    "How do I log in, please?": "Use your card.\nOr the PIN.",
    "Wann öffnet denn die Kantine?": "Um acht Uhr.",
    "Mennyi is a napidíj?": "Nyolcvan euró.",
    "cafeteria keret?": "Havi húszezer.",
}
OTHERS = (
    "How do I log out?",
    "Why do I log in?",
    "How do I not log in?",
    "Wann schließt die Kantine?",
    "Wo öffnet die Kantine?",
    "Mennyi az útidíj?",
    "cafeteria címe?",
    "病假有多少天？",
    "誰が開きますか？",
)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    with Rove.open(tmp_path_factory.mktemp("kb")) as base:
        base.add([Text(text, id=name, kind="markdown", metadata={"lang": name}) for name, text in FAQ.items()])
        base.add([Text(f"Filler number {n} speaks of weather and of trains.", id=f"f{n}") for n in range(40)])
        yield base


def asked_in(text: str) -> list[tuple[str, str]]:
    return [(pair.question, text[slice(*pair.answer)]) for pair in pairs_in(text)]


@pytest.mark.parametrize("question", ASKED)
def test_a_question_of_a_document_finds_its_answer_alone(kb: Rove, question: str) -> None:
    (hit,) = kb.search(question, mode="questions")
    name, answer = ASKED[question]
    assert (hit.chunk.document_id, hit.chunk.text) == (name, answer)
    assert kb.text(name)[slice(*hit.chunk.span)] == answer
    assert (hit.score, hit.sources["questions"].rank) == (1.0, 1)
    answered = kb.ask(question)
    assert [one.quote for one in answered.citations] == [answer]
    assert answered.notes == (STORED,)


@pytest.mark.parametrize("question", ALIKE)
def test_so_does_one_that_means_the_same(kb: Rove, question: str) -> None:
    (hit,) = kb.search(question, mode="questions")
    assert hit.chunk.text == ALIKE[question]
    assert 0.9 < hit.score < 1 - 1e-6 or hit.score == pytest.approx(1)
    assert hit.question != question


@pytest.mark.parametrize("question", OTHERS)
def test_one_that_only_looks_alike_finds_nothing(kb: Rove, question: str) -> None:
    assert kb.search(question, mode="questions") == []


def test_across_languages_one_that_is_far_nearer_than_any_other_is_found(tmp_path: Path) -> None:
    text = "Q: When was the Eiffel Tower built?\nA: In 1889.\n\nQ: Who feeds the ducks?\nA: The warden.\n"
    with Rove.open(tmp_path) as base:
        base.add(Text(text, id="faq"))
        (hit,) = base.search("Wann wurde der Eiffelturm gebaut?", mode="questions")
        assert hit.chunk.text == "In 1889."
        assert base.search("Wo wurde der Eiffelturm gebaut?", mode="questions") == []


def test_a_filter_and_the_least_score_hold(kb: Rove) -> None:
    assert kb.search("How do I log in?", mode="questions", where=field("lang") == "de") == []
    assert len(kb.search("How do I log in?", mode="questions", where=field("lang") == "en")) == 1
    assert kb.search("How do I log in?", mode="questions", min_score=1.01) == []
    semantic = kb.search("How do I log in?", mode="semantic")
    middle = semantic[4].score
    assert kb.search("How do I log in?", mode="semantic", min_score=middle) == semantic[:5]


def test_a_record_s_title_is_its_question_in_this_mode_alone(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text('{"a": {"query": "How good is it?", "document": "Among the best."}}', "utf-8")
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as base:
        base.add(tmp_path / "r.json")
        (hit,) = base.search("how good is it", mode="questions")
        assert (hit.chunk.text, hit.question) == ("Among the best.", "How good is it?")
        assert STORED not in base.ask("how good is it").notes


def test_what_is_not_marked_as_a_question_is_one_in_this_mode_alone(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as base:
        base.add(Text("Has anybody seen the key?\n\nEdit: it has been found.\n", id="post"))
        (hit,) = base.search("has anybody seen the key", mode="questions")
        assert hit.chunk.text == "Edit: it has been found."
        assert STORED not in base.ask("Has anybody seen the key?").notes


def test_a_long_answer_is_quoted_and_not_given_whole(tmp_path: Path) -> None:
    long = " ".join(f"The weather of day {n} was fair." for n in range(100))
    with Rove.open(tmp_path, embedder={"name": "fake"}) as base:
        base.add(Text(f"# Days\n\n## How was the weather?\n\n{long}\n", id="days", kind="markdown"))
        assert len(base.ask("How was the weather?").text) < len(long) / 2
        (hit,) = base.search("How was the weather?", mode="questions")
        assert len(hit.chunk.text) == len(long)


def test_an_answer_over_the_edge_of_a_chunk_is_whole(tmp_path: Path) -> None:
    said = "\n".join(f"Step {n}: turn the wheel number {n} to the left." for n in range(20))
    text = f"{'Nothing to see. ' * 20}\n\nQ: How is the lock opened?\nA: {said}\n\nQ: Who may?\nA: Nobody."
    with Rove.open(tmp_path, embedder={"name": "fake"}, chunk={"size_chars": 200, "overlap_chars": 0}) as base:
        base.add(Text(text, id="lock"))
        (hit,) = base.search("how is the lock opened", mode="questions")
        assert hit.chunk.text == said


def test_settings_turn_it_off(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}, answer={"stored": False}) as base:
        base.add(Text(FAQ["en"], id="en"))
        assert STORED not in base.ask("How do I log in?").notes


def test_tables_lists_and_code_of_an_answer_stay(tmp_path: Path) -> None:
    answer = "First:\n\n- one\n- two\n\n```\nrun it\n\nnow\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    with Rove.open(tmp_path, embedder={"name": "fake"}) as base:
        base.add(Text(f"# Run\n\n## How is it run?\n\n{answer}\n", id="run", kind="markdown"))
        answered = base.ask("How is it run?")
        assert [one.quote for one in answered.citations] == answer.replace("run it\n\nnow", "\0").replace(
            "\n\n", "\1"
        ).replace("\0", "run it\n\nnow").split("\1")
        assert "```\nrun it\n\nnow\n```" in answered.text
        assert "| 1 | 2 |" in answered.text


# -- what people keep ----------------------------------------------------------------------------------------------


def test_a_question_that_is_kept_is_answered_until_its_document_changes(tmp_path: Path) -> None:
    text = "The barrier opens at six. The garage is free on Sundays."
    with Rove.open(tmp_path / "kb") as base:
        base.add(Text(text, id="garage"), Text("Something of trains.", id="other"))
        base.keep_question("Was kostet das Parken am Sonntag?", "garage", (26, len(text)))
        base.keep_question("Was kostet das Parken am Sonntag?", "garage", (26, len(text)))
        assert [one.quote for one in base.kept_questions()] == [text[26:]]
        assert base.ask("was kostet das Parken am Sonntag").citations[0].quote == text[26:]
        (tmp_path / "lines").write_text("\n".join(base.export()), "utf-8")
        with Rove.open(tmp_path / "copy") as copy:
            copy.import_((tmp_path / "lines").read_text("utf-8").splitlines())
            assert copy.kept_questions() == base.kept_questions()
        base.add(Text(text.replace("six", "seven"), id="garage"))
        assert base.kept_questions() == []


def test_what_is_kept_can_be_erased_and_is_named_by_mentions(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as base:
        base.add(Text("The barrier opens at six.", id="barrier"))
        for question in ("When does the Gotthard gate open?", "Who opens?"):
            base.keep_question(question, "barrier", (0, 25))
        assert base.mentions("Gotthard").questions == ("When does the Gotthard gate open?",)
        base.forget_mentions("Gotthard")
        assert [one.question for one in base.kept_questions()] == ["Who opens?"]
        assert (base.forget_kept("who opens"), base.forget_kept()) == (1, 0)


@pytest.mark.parametrize(
    ("question", "document_id", "span"),
    [("", "d", (0, 5)), ("?", "d", (0, 5)), ("Who?", "d", (5, 5)), ("Who?", "d", (0, 99)), ("Who?", "e", (0, 5))],
)
def test_what_cannot_be_kept_is_said(tmp_path: Path, question: str, document_id: str, span: tuple[int, int]) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as base:
        base.add(Text("The barrier.", id="d"))
        with pytest.raises(InputError):
            base.keep_question(question, document_id, span)
        assert base.kept_questions() == []


# -- what stands in a text -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("Q: Who? A: Me.\nQ2. Where?  A2. Here.", [("Who?", "Me."), ("Where?", "Here.")]),
        ("**Q:** When?\n**A:** Now.", [("When?", "Now.")]),
        ("Frage 1: Wer?\nAntwort: Ich.\nFrage 2: Wo?\nAntwort: Hier.", [("Wer?", "Ich."), ("Wo?", "Hier.")]),
        ("Q: a ticket\n\nD: drive\nP: path", []),
        ("Q: Who?\nV: not the answer's label", []),
        ("## What is it?\n\nA thing.\n\nMore.\n\n### Parts\n\nMany.", [("What is it?", "A thing.\n\nMore.")]),
        ("Who?\n\nMe.\n\nNot this.", [("Who?", "Me.")]),
        ("I ask: who? Is it me? Yes?\n\nNo.", []),
        ("| Wer? | Ich |\n|---|---|\n", []),
        ("| a | b |\n|---|---|\n| Wer \\| was? | ich |\n| Wo? | hier |", [("Wer \\| was?", "ich"), ("Wo?", "hier")]),
        ("| a | b |\n|---|---|\n| Wer? | ich |\n| Ort | hier |", []),
        ("| Nr | Answer | Question |\n|---|---|---|\n| 1 | Me. | Who? |", [("Who?", "Me.")]),
        ("# Who?\n\n# Where?\n\nHere.", [("Where?", "Here.")]),
        ("", []),
    ],
)
def test_pairs_of_a_text(text: str, pairs: list[tuple[str, str]]) -> None:
    assert asked_in(text) == pairs


def test_an_endless_answer_is_cut_at_a_line() -> None:
    lines = "\n".join(f"Line {n} of the answer to it." for n in range(1_000))
    ((_, answer),) = asked_in(f"Q: What?\nA: {lines}")
    assert LONGEST_ANSWER - 100 < len(answer) <= LONGEST_ANSWER
    assert lines.startswith(answer)
    assert answer.endswith("of the answer to it.")


@given(st.text(alphabet="Q:A?|-# \nab？问答*", max_size=80))
def test_every_pair_lies_in_the_text_in_order_and_apart(text: str) -> None:
    for pair in pairs_in(text):
        assert pair.question
        assert 0 <= pair.answer[0] < pair.answer[1] <= len(text)
        assert text[slice(*pair.answer)].strip()
        assert pair.asked[1] <= pair.answer[0] or pair.answer[1] <= pair.asked[0]


@pytest.mark.parametrize(
    "text",
    [f"Q: a?{' ' * 20_000}x", f"# {'# ' * 10_000}x", f"# a{' ' * 20_000}x", f"# {'?' * 20_000}a", "|" * 20_000],
    ids=["label", "marks", "heading", "asking", "table"],
)
def test_hostile_lines_are_read_in_one_go(text: str) -> None:
    with at_most(0.5):  # a pattern that begins anew at each character takes seconds
        assert pairs_in(text) == []


def hit_of(text: str, start: int, **more: object) -> Hit:
    chunk = Chunk("c", "d", text[start:], (start, len(text)), 0, page=3, **more)  # pyright: ignore[reportArgumentType]
    return Hit(chunk, 1.0, {}, "d", "Who pays?")


async def test_what_only_touches_a_pair_is_not_answered_by_it(tmp_path: Path) -> None:
    text = "Q: Who pays?\nA: The office.\nOr so they say."
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as base:
        (whole,) = pairs_in(text)
        for start, count in ((whole.answer[1] - 1, 1), (whole.answer[1], 0)):
            hit = hit_of(text, start)
            found = await stored_answers(base.search_context, "x", [hit], {"d": text}, None, strict=True)
            assert len(found) == count, text[start:]


async def test_an_answer_is_on_its_chunk_s_page_where_it_begins_in_it(tmp_path: Path) -> None:
    text = "The office pays.\n\nQ: Who pays?\nA: The office."
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as base:
        for start, pages in ((0, [3, 3]), (20, [None, 3])):
            hit = hit_of(text, start, metadata={"record_id": "r"})
            found = await stored_answers(base.search_context, "x", [hit], {"d": text}, None, strict=False)
            assert [one.hit.chunk.page for one in found] == pages
            assert [text[slice(*one.hit.chunk.span)] for one in found] == [text, "The office."]
