"""A reply is taken apart while it is written: the same parts however it comes, each as soon as it is whole."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from tests.cpu_time import at_most

from rove.answer.cite import marks
from rove.answer.reply import ReplyParser, ReplyPart, ReplyText

SENTENCES = {
    "en": ("Dr. Ma approves it.", "It costs 3.5 t, e.g. in York.", "He said “One. Two.” and left.", "Is it so?",
           "See [the plan. Part 1](http://x.test/a?q=1. 2) here.", "`a. b [1]` is code.", "(See p. 3. It is old.)"),
    "de": ("Am 3. Oktober ist frei.", "Das gilt z. B. hier.", "„Eins. Zwei.“ sagte er.", "Dr. Ma tagt am 1. Mai."),
    "hu": ("2024. január 15-től érvényes.", "A 3. fejezet. Vége.", "A bizottság hagyja jóvá, pl. ma."),
    "zh": ("委员会批准远程办公。", "他说：“一。二。”然后走了。", "每周一开会！", "（见第3页。旧的。）"),
    "ja": ("在宅勤務は委員会が承認します。", "「はい。そうです。」と言った。", "本当？"),
}  # fmt: skip
SIMPLE = {
    "en": "The committee approves remote work.",
    "de": "Der Ausschuss genehmigt die Telearbeit.",
    "hu": "A bizottság hagyja jóvá a távmunkát.",
    "zh": "远程办公由委员会批准，每周一开会，三天内答复。",
    "ja": "在宅勤務は委員会が承認します、毎週月曜日に。",
}
MARKS = ("", " [1]", "[2]", " [1, 2]", " [1][3]", "【2†source】", " [^1]", " [1≠?]", " [?]")
FORMS = {
    "[2]": (2,), "[2, 3]": (2, 3), "[2–4]": (2, 3, 4), "[^2]": (2,), "[Source 2]": (2,), "[source: 2]": (2,),
    "[Doc 2]": (2,),
    "【2】": (2,), "【2†source】": (2,), "⟦2⟧": (2,), "［2］": (2,), "<sup>2</sup>": (2,), "<sup>[2]</sup>": (2,),
    "\\[2\\]": (2,), "[ID:2]": (2,), "##2$$": (2,), "[2≠?]": (2,), "[?]": (),
}  # fmt: skip
BREAKS = ("\n", "\n\n", "\r\n", "\n- ", "\n1. ", "\n## ", "\n> ", "\n| a | b |\n|---|---|\n| 1. x | 2 |\n",
          "\n```\nx. y\n\n| z\n```\n")  # fmt: skip


def made(language: str, dice: random.Random) -> str:
    """A reply of sentences, marks, lists, tables and code."""
    blank = "" if language in {"zh", "ja"} else " "
    told: list[str] = []
    for _ in range(dice.randint(1, 9)):
        told += dice.choice(SENTENCES[language]), dice.choice(MARKS)
        told.append(blank if dice.random() < 0.6 else dice.choice(BREAKS))
    return "".join(told)


def pieces(text: str, most: int, dice: random.Random) -> Iterator[str]:
    at = 0
    while at < len(text):
        size = dice.randint(1, most)
        yield text[at : at + size]
        at += size


def parts(language: str, *written: str) -> list[ReplyPart]:
    parser = ReplyParser(language)
    return [part for piece in written for part in parser.feed(piece)] + parser.close()


@pytest.mark.parametrize("language", SENTENCES)
def test_parts_are_the_same_however_the_reply_comes(language: str) -> None:
    dice = random.Random(language)
    for _ in range(20):
        text = made(language, dice)
        whole = parts(language, *text.splitlines(keepends=True))
        assert whole
        for most in (1, 4, 20):
            assert parts(language, *pieces(text, most, dice)) == whole, text


@pytest.mark.parametrize("form", FORMS)
def test_a_number_of_a_source_is_read_in_every_form_that_models_write(form: str) -> None:
    for text in (f"It is so{form}. It ends. ", f"It is so {form}. It ends. ", f"It is so. {form} It ends. "):
        for size in (1, 3, 100):
            found = parts("en", *(text[at : at + size] for at in range(0, len(text), size)))
            assert [(one.text, one.numbers) for one in found] == [("It is so.", FORMS[form]), ("It ends.", ())], text


def test_brackets_that_name_no_source_stay() -> None:
    for text in ("See [the plan](plan.md) here.", "The list a[1](b) is x.", "In [2019] it was so.", "It is [sic] so."):
        assert [one.text for one in parts("en", text)] == [text]


@pytest.mark.parametrize("language", SENTENCES)
def test_each_sentence_of_a_line_comes_when_the_next_has_begun(language: str) -> None:
    blank = "" if language in {"zh", "ja"} else " "
    sentence = SIMPLE[language]
    parser = ReplyParser(language)
    parser.feed(sentence[:12])
    for number in range(1, 9):
        assert not [part for piece in f"{sentence[12:]} [{number}]{blank}" for part in parser.feed(piece)]
        begun = parser.feed(sentence[:12])
        assert [(part.text, part.numbers) for part in begun] == [(sentence, (number,))]


@pytest.mark.parametrize(
    ("written", "given"),
    [
        ("One is here. [1", []),
        ("One is here. [1, 2", []),
        ("One is here. [1]", []),
        ("One is here. [1] Tw", []),
        ("One is here. [1] Two ", ["One is here."]),
        ("One “is. Here ", []),
        ("One (is. Here ", []),
        ("One `is. Here ", []),
        ("One [is. Here ", []),
        ("One [is](http://a. Here ", []),
        ("One is.\n", ["One is."]),
        ("| a |\n| b |\n", []),
        ("| a |\n| b |\n\n", ["| a |\n| b |"]),
        ("```\nx. y\n\nz\n", []),
        ("```\nx. y\n```\n", ["```\nx. y\n```"]),
        ("## Head\nOne is", ["Head"]),
        ("1. One is here. Two are there. Th", ["One is here."]),
    ],
)
def test_nothing_comes_before_it_is_whole(written: str, given: list[str]) -> None:
    parser = ReplyParser("en")
    assert [part.text for piece in written for part in parser.feed(piece)][: len(given) or 1] == given


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("One is here. [1] Two are th", ["One is here."]),
        ("One is here. [1] Two are there. [2]", ["One is here.", "Two are there."]),
        ("One is here. [1] It costs 3.", ["One is here."]),
        ("委员会批准。会议", ["委员会批准。"]),
        ("委员会批准。会议每周一。", ["委员会批准。", "会议每周一。"]),
        ("One is here. [1]\n\n| a | b |\n| 1 | 2", ["One is here."]),
        ("One is here. [1]\n- dogs\n- ca", ["One is here.", "dogs"]),
        ("One", []),
        ("", []),
    ],
)
def test_a_reply_that_was_cut_off_loses_what_may_go_on(written: str, left: list[str]) -> None:
    for most in (1, 100):
        parser = ReplyParser("zh" if "委" in written else "en")
        given = [part for piece in pieces(written, most, random.Random(1)) for part in parser.feed(piece)]
        assert [part.text for part in given + parser.cut()] == left


def test_the_text_is_put_together_part_by_part() -> None:
    written = "## Head\n\nThe rules are:\n\n- One is here. [1] Two are there.\n- Three.\n\n| a |\n| b | [2]\n\nEnd."
    text, found = ReplyText(), parts("en", written)
    added = [text.add(part, marks(part.numbers)) for part in found]
    assert "".join(added) == written.replace(" [2]\n", "\n\n[2]\n")
    assert added[:4] == ["Head".join(("## ", "")), "\n\nThe rules are:", "\n\n- One is here. [1]", " Two are there."]
    text = ReplyText()
    assert "".join(text.add(part) for part in found[3:5]) == "- Two are there.\n- Three."


@pytest.mark.parametrize("written", ["a. " * 8_000, '"' + "a. " * 8_000, "[" * 24_000, "`" * 24_000, "| a" * 8_000])
def test_the_time_grows_with_the_length(written: str) -> None:
    parser = ReplyParser("en")
    with at_most(10):
        for at in range(0, len(written), 3):
            parser.feed(written[at : at + 3])
        parser.close()


@pytest.mark.parametrize(
    "line", ["| It opens at nine. It closes at five. | x |", "```python print. Done. Next.", "~~~ One. Two. Three"]
)
def test_a_row_and_a_fence_are_taken_whole_however_many_sentences_they_hold(line: str) -> None:
    whole, pieces = ReplyParser("en"), ReplyParser("en")
    text = f"{line}\nx\n"
    parts = [*whole.feed(text), *whole.close()]
    assert [part for piece in text for part in pieces.feed(piece)] + pieces.close() == parts
    assert not any(part.text in {"It closes at five.", "Next.", "Two."} for part in parts)


@pytest.mark.parametrize(
    ("reply", "cited"),
    [
        ("1. Run:\n\n   ```sh\n   make. Now\n   ```\n\n2. Stop.",
         "1. Run:\n\n   ```sh\n   make. Now\n   ```\n\n   [1]\n\n2. Stop. [1]"),
        ("````md\n```\nx. y\n```\n````", "````md\n```\nx. y\n```\n````\n\n[1]"),
        ("$$\na = b. c\n$$\n\nSo $x = 3. 4$ m.", "$$\na = b. c\n$$\n\n[1]\n\nSo $x = 3. 4$ m. [1]"),
        ("\\[\na = b. c\n\\]", "\\[\na = b. c\n\\]\n\n[1]"),
        ("It costs $5. Now it costs $6.", "It costs $5. [1] Now it costs $6. [1]"),
        ("Run:\n\n    make all. Go\n    make\n\nDone.", "Run:\n\n    make all. Go\n    make\n\n[1]\n\nDone. [1]"),
        ("- One.\n\n    Its more. And more.", "- One. [1]\n\n    Its more. [1] And more. [1]"),
        ("Rove Ltd  \nMain St 5\\\nYork", "Rove Ltd [1]  \nMain St 5 [1]\\\nYork [1]"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("size", [1, 5, 1000])
def test_code_formulas_and_lines_keep_their_form_beside_marks(reply: str, cited: str, size: int) -> None:
    text = ReplyText()
    told = parts("en", *(reply[at : at + size] for at in range(0, len(reply), size)))
    assert "".join(text.add(part, "" if part.introduces else "[1]") for part in told) == cited


def test_a_number_that_is_the_answer_is_no_list() -> None:
    """ "325." before its citation, as models reply to "Which extension?"; "1. [Title](link)" stays an item."""
    parser = ReplyParser("en")
    assert [(part.text, part.numbers) for part in parser.feed("325. [1]") + parser.close()] == [("325.", (1,))]
    parser = ReplyParser("en")
    (item,) = parser.feed("1. [Title](a.md) leads. [2]") + parser.close()
    assert (item.opening, item.numbers) == ("1. ", (2,))
