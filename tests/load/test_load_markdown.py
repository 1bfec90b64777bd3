from __future__ import annotations

import pytest
from tests.cpu_time import at_most

from load.samples import PARAGRAPHS, markdown_text, source
from rove.errors import InputError
from rove.load.markdown import MarkdownLoader, markdown_sections, split_front_matter, strip_markup


def titles(text: str) -> list[tuple[int, str]]:
    return [(s.level, s.title) for s in markdown_sections(text)]


def test_sections_nest_and_cover() -> None:
    text = markdown_text()
    sections = markdown_sections(text)
    assert sections[0].title == "Ünnepi gyűjtemény 文集"
    assert sections[0].span == (0, len(text))
    assert [s.title for s in sections[1:]] == [f"Teil {code}" for code in PARAGRAPHS]
    for section, paragraph in zip(sections[1:], PARAGRAPHS.values(), strict=True):
        assert paragraph in text[slice(*section.span)]
        assert text[slice(*section.span)].count("##") == 1


@pytest.mark.parametrize("fence", ["```", "~~~", "````", "   ```"])
def test_no_heading_inside_a_fence(fence: str) -> None:
    assert titles(f"# A\n\n{fence}py\n# comment\n## other\n{fence}\n\n## B\n") == [(1, "A"), (2, "B")]


def test_a_shorter_or_other_fence_does_not_close() -> None:
    assert titles("````\n```\n# x\n~~~~\n````\n# B\n") == [(1, "B")]


def test_a_fence_that_is_never_closed_goes_to_the_end() -> None:
    assert titles("# A\n```\n# x\n") == [(1, "A")]


def test_what_only_looks_like_a_heading() -> None:
    text = "#tag\n\n    # code\n\n####### seven\n\n- item\n---\n\n| a |\n|---|\n\ntwo\nlines\n---\n\n---\n#\n"
    assert titles(text) == []


def test_setext_closing_marks_and_links() -> None:
    text = "Große\n=====\n\nKlein\n-\n\n### Zu ###\n\n#### [Link](http://a.b) **fett** `code_x`\n"
    assert titles(text) == [(1, "Große"), (2, "Klein"), (3, "Zu"), (4, "Link fett code_x")]


def test_a_skipped_level_closes_what_is_deeper() -> None:
    text = "# A\n### B\n## C\n# D\n"
    assert [text[slice(*s.span)] for s in markdown_sections(text)] == [
        "# A\n### B\n## C\n",
        "### B\n",
        "## C\n",
        "# D\n",
    ]


def test_front_matter_leaves_the_text() -> None:
    text = "---\ntitle: 'Ünnepi: est'\ntags:\n  - 検索\n  - keresés\nyear: 2024\nempty:\n---\n\n# Other\n\nText.\n"
    [document] = MarkdownLoader().load(source("markdown", text.encode()))
    assert document.text == "# Other\n\nText.\n"
    assert document.title == "Ünnepi: est"
    assert document.metadata == {"title": "Ünnepi: est", "tags": ("検索", "keresés"), "year": 2024}
    assert document.sections[0].span == (0, len(document.text))


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    text = "---\nProse, not a field\n---\nmore\n"
    assert split_front_matter(text) == (text, {})


def test_front_matter_alone_is_empty() -> None:
    with pytest.raises(InputError) as caught:
        list(MarkdownLoader().load(source("markdown", b"---\na: b\n---\n")))
    assert caught.value.outcome == "empty"


def test_plain_keeps_underscores_in_names() -> None:
    assert strip_markup("`a_b_c` and *x* and __y__") == "a_b_c and x and y"


def test_headings_are_found_fast() -> None:
    text = (markdown_text() + ("\n".join(PARAGRAPHS.values()) + "\n") * 20) * 400
    size_kb = len(text.encode()) / 1024
    with at_most(40e-6 * size_kb):  # half of that on a quiet machine
        assert len(markdown_sections(text)) == 6 * 400


def test_many_headings_of_one_level_stay_linear() -> None:
    text = "".join(f"{'#' * (1 + n % 6)} h{n}\n" for n in range(60_000))
    with at_most(3):
        assert len(markdown_sections(text)) == 60_000
