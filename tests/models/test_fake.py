from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from rove.errors import ConfigError
from rove.models.fake import FakeChatModel, FakeEmbedder, hash_vectors
from rove.settings import EmbedderSettings

PROMPT = "Reference 1\nTitle: T\nContent:\n⟦1\nOne hour. Two hours.\n1⟧\n\nReference 2\nContent:\n⟦2\n东京。\n2⟧"


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("Who approves remote work?", "The manager approves remote work.", "Photosynthesis in algae"),
        ("Wer genehmigt die Telearbeit?", "Telearbeit genehmigt der Ausschuss.", "Elefanten ziehen umher"),
        ("Ki hagyja jóvá a távmunkát?", "A távmunkát a bizottság hagyja jóvá.", "Elefántok és zsiráfok"),
        ("谁批准远程办公？", "委员会批准远程办公。", "大象迁徙到温暖的国家。"),
        ("リモートワークは誰が承認しますか", "委員会がリモートワークを承認します。", "象は暖かい国へ行く。"),
        ("원격 근무는 누가 승인합니까", "위원회가 원격 근무를 승인합니다", "코끼리와 기린"),
    ],
)
async def test_texts_that_share_words_are_near(question: str, near: str, far: str) -> None:
    embedder = FakeEmbedder()
    asked = (await embedder.queries([question]))[0]
    distances = 1 - await embedder.passages([near, far]) @ asked
    assert distances[0] < embedder.max_distance < distances[1]


def test_vectors_are_unit_length_whatever_the_text() -> None:
    texts = ["", " ", "a", "!!!", "é", "👩‍👩‍👧", "中", "x" * 10_000, "\ud800", "a\0b", "ab " * 500, "ＡＢＣ"]
    vectors = hash_vectors(texts * 20, 384)
    assert vectors.shape == (240, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)


def test_a_vector_depends_on_its_own_text_alone() -> None:
    texts = [f"The {word} lamp {i} 灯台 {i}" for i, word in enumerate(["red", "blue", "green"] * 40)]
    together = hash_vectors(texts, 64)
    for i in (0, 31, 32, 33, 119):
        np.testing.assert_allclose(together[i], hash_vectors([texts[i]], 64)[0], rtol=1e-6)


def test_order_of_letters_counts_and_case_does_not() -> None:
    a, b, c = hash_vectors(["listen", "LISTEN", "silent"], 384)
    assert a @ b == pytest.approx(1)
    assert a @ c < 0.5


def test_the_same_vectors_in_every_process() -> None:
    code = "from rove.models.fake import hash_vectors; print(hash_vectors(['Rove walks 走'], 16).tobytes().hex())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == hash_vectors(["Rove walks 走"], 16).tobytes().hex()


async def test_the_dimension_can_be_set() -> None:
    embedder = FakeEmbedder(EmbedderSettings.model_validate({"dimension": 7}))
    assert (await embedder.passages(["a"])).shape == (1, 7)
    assert (await embedder.passages([])).shape == (0, 7)
    assert embedder.fingerprint.dimension == 7
    assert FakeEmbedder().fingerprint.model == "fake"
    with pytest.raises(ConfigError):
        FakeEmbedder(dimension=-1)


async def reply(model: FakeChatModel, prompt: str = PROMPT) -> str:
    return "".join([piece async for piece in model.stream('If not, write “Nothing here.” "x"', prompt)])


async def test_the_chat_model_quotes_and_cites_in_small_pieces() -> None:
    assert await reply(FakeChatModel()) == "One hour. [1] 东京。 [2]"
    assert [piece async for piece in FakeChatModel().stream("", PROMPT)][:2] == ["One", " hour."]
    assert await reply(FakeChatModel(references=1)) == "One hour. [1]"


async def test_the_chat_model_misbehaves_as_told() -> None:
    assert await reply(FakeChatModel(mischief="nothing")) == ""
    assert "[91]" in await reply(FakeChatModel(mischief="wrong-number"))
    assert "4711 elephants" in await reply(FakeChatModel(mischief="invented"))
    assert "[" not in await reply(FakeChatModel(mischief="uncited"))
    assert await reply(FakeChatModel(mischief="refusal")) == "Nothing here."
    assert await reply(FakeChatModel(), "no reference") == "Nothing here."
