"""Sources of very many documents: what of each is remembered, and how much text one may hold."""

from __future__ import annotations

import sys

import pytest

from rove.ingest.held import HeldIds
from rove.ingest.recipe import MOST_CHARS, recipe_of
from rove.load.discover import locate
from rove.prepare import Preparer, Recipe
from rove.records import SourceEnd, Text, content_hash
from rove.settings import Settings


def test_held_ids_know_every_one_and_no_other_in_any_order():
    held = HeldIds()
    assert not held and "x" not in held
    ids = [content_hash(str(number)) for number in range(10_000)]
    for document_id in ids[::2]:
        held.add(document_id)
    assert ids[0] in held and ids[1] not in held
    for document_id in reversed(ids[1::4]):
        held.add(document_id)
        held.add(ids[0])
    assert len(held) == 7_500
    assert all((document_id in held) == (number % 4 != 3) for number, document_id in enumerate(ids))


def test_held_ids_take_a_tenth_of_a_set():
    held, ids = HeldIds(), {content_hash(str(number)) for number in range(20_000)}
    for document_id in ids:
        held.add(document_id)
    assert len(held) == 20_000
    whole = sys.getsizeof(ids) + sum(map(sys.getsizeof, ids))
    assert held.bytes < whole / 10


@pytest.mark.parametrize(("file_mb", "chars"), [(1, MOST_CHARS), (256, MOST_CHARS), (2_000, 2_000_000_000)])
def test_who_may_read_larger_files_may_read_more_text(file_mb: int, chars: int):
    recipe = recipe_of(Settings.model_validate({"load": {"max_file_mb": file_mb}}), "m", with_chat=False)
    assert recipe.max_text_chars == chars


def test_too_much_text_says_which_setting_helps():
    preparer = Preparer(Recipe(model="m", pipeline="p", max_text_chars=10))
    *_, end = preparer.read(locate([Text("More than ten characters.", id="long")])[0])
    assert isinstance(end, SourceEnd) and end.outcome == "too-large"
    assert "load.max_file_mb" in end.cure
