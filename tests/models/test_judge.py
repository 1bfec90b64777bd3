"""The packaged judge computes what its definition says, and scores twenty pairs as it did; plug-ins judge in turn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import erf, sqrt
from pathlib import Path

import numpy as np
import pytest

from loopback import answering
from onnx_models import classifier
from openai_server import Reply
from rove import ConfigError, ServiceError
from rove.models.e5 import packaged
from rove.models.e5.judge import MODEL, STEP_TOKENS, WINDOW_TOKENS, CrossEncoder, E5Judge, JudgeWeights
from rove.models.judge import Support, judge_of
from rove.models.judge_chat import ChatJudge
from rove.models.judge_decisions import DecisionJudge
from rove.settings import JudgeSettings
from scripted_chat import ScriptedChat

pytestmark = pytest.mark.model
PAIRS = json.loads(Path(__file__).with_name("judge_pairs.json").read_text("utf-8"))
"""Twenty pairs, each with its logits in float32: supported, neither, contradicted, answers."""
CLOSE = 2e-3
"""How far a logit may lie from what is known; its own spread is 2 to 5."""


def as_defined(first: str, passage: str) -> np.ndarray:
    """The four logits by the definition in the model's card, with plain NumPy."""
    weights = JudgeWeights(MODEL)
    array, table, vocabulary = weights.array, packaged.weights(), packaged.vocabulary()
    encoder = CrossEncoder()
    a, b = encoder.ids(first)[:64], encoder.ids(passage)[:256]
    ids = np.array([vocabulary.begin, *a, vocabulary.end, *b, vocabulary.end])
    side = [0] * (len(a) + 2) + [1] * (len(b) + 1)

    def even(x: np.ndarray, name: str) -> np.ndarray:
        centred = x - x.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return centred / spread * array(f"{name}.weight") + array(f"{name}.bias")

    def through(x: np.ndarray, name: str) -> np.ndarray:
        return x @ array(f"{name}.weight").T + array(f"{name}.bias")

    def gelu(x: np.ndarray) -> np.ndarray:
        return x * (1 + np.vectorize(erf)(x / sqrt(2))) / 2

    x = even(table.words(ids) + array("pos")[: len(ids)] + array("seg")[side], "ln")
    for layer in range(12):
        name = f"layers.{layer}"
        heads = [through(x, f"{name}.{part}").reshape(len(ids), 12, 32).transpose(1, 0, 2) for part in "qkv"]
        scores = heads[0] @ heads[1].transpose(0, 2, 1) / sqrt(32)
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (powers / powers.sum(-1, keepdims=True)) @ heads[2]
        x = even(x + through(mixed.transpose(1, 0, 2).reshape(len(ids), 384), f"{name}.ao"), f"{name}.aln")
        x = even(x + through(gelu(through(x, f"{name}.fi")), f"{name}.fo"), f"{name}.oln")
    return through(gelu(through(x[:1], "cls.0")), "cls.2")[0]


def logits(encoder: CrossEncoder, first: str, passage: str) -> np.ndarray:
    (reading,) = encoder.read(first, passage)
    return np.array([*reading.support, reading.answers])


def test_it_computes_what_its_card_says() -> None:
    first, passage, *_ = PAIRS[0]
    assert logits(CrossEncoder(), first, passage) == pytest.approx(as_defined(first, passage), abs=CLOSE)


def test_twenty_pairs_have_the_scores_that_are_known() -> None:
    encoder = CrossEncoder()
    for first, passage, known in PAIRS:
        assert logits(encoder, first, passage) == pytest.approx(known, abs=CLOSE)


def test_the_last_digits_of_a_float_which_differ_by_processor_move_no_score(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = CrossEncoder()
    known = [logits(encoder, first, passage) for first, passage, _ in PAIRS[:5]]
    words, drawn = encoder._table.words, np.random.default_rng(1)
    monkeypatch.setattr(
        encoder._table, "words", lambda ids: (words(ids) * (1 + 1e-6 * drawn.normal(size=(len(ids), 1)))).astype("f4")
    )
    for (first, passage, _), logit in zip(PAIRS, known, strict=False):
        assert logits(encoder, first, passage) == pytest.approx(logit, abs=CLOSE)


@pytest.mark.parametrize(
    ("question", "passage", "answer"),
    [
        ("When does the contract begin?", "The contract begins on 1 April 2026 and ends in 2031.", "1 April 2026"),
        ("Wer genehmigt Urlaub?", "Urlaub wird von der direkten Vorgesetzten genehmigt.", "direkten Vorgesetzten"),
        ("Mennyi a próbaidő?", "A próbaidő három hónap, a felmondási idő 30 nap.", "három hónap"),
        ("出差住宿标准是多少？", "员工出差住宿标准为每晚500元，超出部分自理。", "500元"),
        ("有給休暇は何日ですか。", "年次有給休暇は20日です。申請は部長に提出します。", "20日"),
    ],
)
async def test_it_says_that_a_passage_answers_and_where(question: str, passage: str, answer: str) -> None:
    judge = E5Judge(JudgeSettings())
    assert await judge.answers(question, passage) > 0.9
    found = await judge.span(question, passage)
    assert found
    assert answer in passage[found.span[0] : found.span[1]]


async def test_a_passage_that_only_points_elsewhere_does_not_answer() -> None:
    judge = E5Judge(JudgeSettings())
    assert await judge.answers("What is the rent of the shop?", "The rent of the shop is set out in Annex B.") < 0.5
    assert await judge.answers("What is the rent of the shop?", "The rent of the shop is EUR 900 a month.") > 0.9


async def test_support_tells_a_changed_number_from_the_right_one() -> None:
    judge = E5Judge(JudgeSettings())
    premise = "Der Zuschuss beträgt 300 Euro im Monat und wird für höchstens sechs Monate gezahlt."
    right = await judge.supported("Der Zuschuss beträgt 300 Euro im Monat.", premise)
    wrong = await judge.supported("Der Zuschuss beträgt 500 Euro im Monat.", premise)
    assert right.supported > 0.8
    assert wrong.supported < 0.2


async def test_of_a_long_passage_each_window_is_read() -> None:
    filler = "The canteen serves soup and salad to whoever comes by before the evening. " * 40
    passage = f"{filler}The director of the museum is Ilona Kovács.{filler}"
    assert len(CrossEncoder().read("Who?", passage)) > 2 > WINDOW_TOKENS // STEP_TOKENS
    judge = E5Judge(JudgeSettings())
    found = await judge.span("Who is the director of the museum?", passage)
    assert found
    assert passage[found.span[0] : found.span[1]] == "Ilona Kovács"
    assert (await judge.supported("Ilona Kovács is the director of the museum.", passage)).supported > 0.8


def test_none_is_none_and_a_wrong_name_is_said() -> None:
    assert judge_of(JudgeSettings(name="")) is None
    with pytest.raises(ConfigError, match="No judge is named"):
        judge_of(JudgeSettings(name="jury"))


async def test_a_chat_judge_quotes_or_does_not_answer() -> None:
    passage = "The library opens at nine."
    for said, span in (("at nine", (18, 25)), ("at ten", None), ("", None)):
        judge = ChatJudge(JudgeSettings(name="chat"), ScriptedChat(Found={"answer": said}))
        found = await judge.span("When does it open?", passage)
        assert (found and found.span) == span
    for reply, support in (
        ({"unsaid": "", "holds": True}, Support(1, 0, 0)),
        ({"unsaid": "the hour", "holds": True}, Support(0, 1, 0)),
        ({"unsaid": "the hour", "contradicted": True, "holds": False}, Support(0, 0, 1)),
    ):
        judge = ChatJudge(JudgeSettings(name="chat"), ScriptedChat(Comparison=reply))
        assert await judge.supported("It opens at ten.", passage) == support


def test_a_judge_without_what_it_needs_says_what_to_set(tmp_path: Path) -> None:
    for name in ("chat", "decisions", "systemone", "onnx"):
        with pytest.raises(ConfigError) as told:
            judge_of(JudgeSettings(name=name))
        assert "judge." in told.value.cure


async def test_an_onnx_judge_without_a_class_that_supports_says_so(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    judge = judge_of(JudgeSettings(name="onnx", model=str(classifier(tmp_path / "m")), threads=1))
    assert judge
    with pytest.raises(ConfigError, match="negative, neutral, positive"):
        await judge.supported("great", "great")


@pytest.fixture
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    with answering(lambda _: Reply(chunks=[json.dumps(request.param).encode()])) as address:
        yield address


@pytest.mark.parametrize(
    "url",
    [
        {"answers": [{"type": "refusal", "name": "asked"}]},
        {"answers": []},
        {"answers": [{"type": "predicate", "probability": 7}]},
        ["no", "object"],
    ],
    indirect=True,
)
async def test_a_decision_that_holds_no_chance_is_an_error_with_a_cure(url: str) -> None:
    judge = DecisionJudge(JudgeSettings(name="decisions", model="m", base_url=url, retries=0))
    with pytest.raises(ServiceError, match="no chances"):
        await judge.answers("When?", "At nine.")
