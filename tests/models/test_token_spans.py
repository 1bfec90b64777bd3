"""Every token knows the characters that it was made of, in any script, however the text was cleaned before."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rove.models.e5 import piece_lookup
from rove.models.e5.piece_lookup import PieceLookup
from rove.models.e5.reader import PassageReading, characters, first_token
from rove.models.e5.tokens import MARK, Tokenizer
from rove.models.e5.weights import PieceVocabulary, Weights, packaged_file

pytestmark = pytest.mark.model

TEXTS = [case["text"] for case in json.loads(Path(__file__).with_name("e5_tokens.json").read_text("utf-8"))]
ODD = [
    "",
    "   ",
    "  two  spaces  ",
    "a\0b\ud800c",
    "㎞ ½ … ｶﾞ １２",
    "▁marks ▁ of▁its own",
    "𓀀𓀁 𓀀",
    "tab\tand\r\nline\u200b\u00adend",
]
ANSWERS = [
    ("Canberra\nThe capital  of Australia is Canberra, not Sydney.", "Canberra", 9),
    ("Überschrift\nDie Prüfung fand am 3. März in Gießen statt.", "3. März", 12),
    ("Cím\nAz árvíztűrő tükörfúrógép Győrben készült, 1987-ben.", "Győrben", 4),
    ("标题\n中国的首都是北京，最大的城市是上海。", "北京", 3),
    ("題\n梅雨がないのは、北海道と小笠原諸島だけである。", "北海道", 2),
]


@pytest.fixture(scope="module")
def vocabulary() -> PieceVocabulary:
    return Weights(packaged_file()).vocabulary()


@pytest.fixture(scope="module")
def tokenizer(vocabulary: PieceVocabulary) -> Tokenizer:
    return Tokenizer(vocabulary)


@pytest.mark.parametrize("text", TEXTS + ODD, ids=range(len(TEXTS + ODD)))
def test_a_tokens_characters_are_those_of_its_piece(
    vocabulary: PieceVocabulary, tokenizer: Tokenizer, text: str
) -> None:
    def cleaned(part: str) -> str:
        part = part.replace("\0", " ").replace("\ud800", "\ufffd")
        return "".join(vocabulary.character_map.get(ord(c), c) for c in part).replace(" ", MARK)

    for is_query in (False, True):
        ids = tokenizer.ids(text, is_query=is_query)[tokenizer.prefix_tokens[is_query] :]
        spans = tokenizer.spans(text, is_query=is_query)
        assert spans.shape == (len(ids), 2)
        assert (np.diff(spans, axis=0) >= 0).all()
        for i, (start, end) in zip(ids, spans.tolist(), strict=True):
            assert 0 <= start <= end <= len(text)
            if i != vocabulary.unknown:
                # A character that becomes several may be shared by two tokens.
                assert vocabulary.pieces[i].removeprefix(MARK) in cleaned(text[start:end])
            else:
                assert len(text[start:end]) == 1
        within = {place for start, end in spans.tolist() for place in range(start, end)}
        assert {n for n, c in enumerate(text) if cleaned(c).strip(MARK)} <= within


@pytest.mark.parametrize(("text", "answer", "prefix_chars"), ANSWERS, ids=["en", "de", "hu", "zh", "ja"])
def test_a_span_of_tokens_is_the_exact_words(tokenizer: Tokenizer, text: str, answer: str, prefix_chars: int) -> None:
    spans = tokenizer.spans(text, is_query=False)
    at = text.index(answer, prefix_chars)
    touched = np.flatnonzero((spans[:, 0] < at + len(answer)) & (spans[:, 1] > at))
    begins, ends = np.zeros(len(spans), np.float32), np.zeros(len(spans), np.float32)
    begins[[0, touched[0]]] = 9.0, 3.0
    ends[[0, touched[-1]]] = 9.0, 3.0
    found = PassageReading(0.0, 0.0, begins, ends, 1.0, 0.0, begins).best_span(first_token(spans, prefix_chars))
    assert found is not None
    assert found.score == 5.0
    start, end = characters(spans, found)
    assert (start, text[start:end]) == (at, answer)


def test_the_file_has_the_same_pieces_as_the_dictionary(
    vocabulary: PieceVocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [
        MARK + word for text in (*TEXTS, *ODD, "<unk> ﬁ 🙂") for word in text.encode(errors="replace").decode().split()
    ]
    monkeypatch.setattr(piece_lookup, "FEW", 10**9)
    in_file = PieceLookup(vocabulary)
    found = [in_file.pieces_at(word, start) for word in words for start in range(len(word))]
    monkeypatch.setattr(piece_lookup, "FEW", 0)
    in_dictionary = PieceLookup(vocabulary)
    assert found == [in_dictionary.pieces_at(word, start) for word in words for start in range(len(word))]
    assert len(found) > 1_000
