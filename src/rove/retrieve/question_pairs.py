r"""Questions that stand in a text with their answers: "Q: … A: …", FAQ tables, headings and paragraphs that ask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from rove.records.document import Span
from rove.store.question_log import key_of

LONGEST_QUESTION = 300
LONGEST_ANSWER = 4_000
"""Characters; what is longer is cut at a line's end."""
LABELS = (
    ("Q", "A"),
    ("Question", "Answer"),
    ("Question", "Réponse"),
    ("Frage", "Antwort"),
    ("F", "A"),
    ("Kérdés", "Válasz"),
    ("K", "V"),
    ("Pregunta", "Respuesta"),
    ("P", "R"),
    ("Domanda", "Risposta"),
    ("问", "答"),
    ("问题", "答案"),
    ("问题", "回答"),
    ("問", "答"),
    ("質問", "回答"),
    ("質問", "答え"),
    ("問題", "答案"),
)
"""What stands before a question, and before its answer; also the names of a table's columns."""

_MARKS = r"[ \t>*_]*+"
_HEADING = regex.compile(r"[ ]{0,3}(#{1,6})[ \t]+(.*)")
_ASKS = regex.compile(r"[?？؟]\W*$")
_TAIL = 20
"""Characters at the end of a text in which the mark of a question is looked for."""
_SENTENCE = regex.compile(r"[.!?؟]\s+\S|[。！？]\s*\S")
_RULE = regex.compile(r"\s*+\|?(?:\s*+:?-++:?\s*+\|)++(?:\s*+:?-++:?\s*+)?$")
_CELL = regex.compile(r"(?<=\|)((?:\\\||[^|])*)(?=\|)")
_ANSWERS = {question: {answer for asked, answer in LABELS if asked == question} for question, _ in LABELS}


def _pair_label_pattern(words: Sequence[str], before: str = rf"(?<![ \t>*_]){_MARKS}") -> regex.Pattern[str]:
    some = "|".join(sorted({regex.escape(word) for word in words}, key=len, reverse=True))
    return regex.compile(rf"{before}(?P<label>{some})\s?\d{{0,4}}{_MARKS}[.:：、)）]{_MARKS}", regex.IGNORECASE)


_QUESTION = _pair_label_pattern([question for question, _ in LABELS])
_ANSWER = _pair_label_pattern([answer for _, answer in LABELS])
_INNER_ANSWER = _pair_label_pattern([answer for _, answer in LABELS], r"(?<=[\s?？>*_])")


@dataclass(frozen=True, slots=True)
class Pair:
    """A question, where it stands, and where its answer stands, as spans of the text.

    `sure`: it is marked as a question: by "Q:", as a heading, in a table. A paragraph that asks may be anybody's.
    """

    question: str
    asked: Span
    answer: Span
    sure: bool = True


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a text, without its end."""

    text: str
    start: int

    @property
    def span(self) -> Span:
        return self.start, self.start + len(self.text)


@dataclass(slots=True)
class _Open:
    """A question whose answer is being read. `level`: of a heading, else 0. `label`: "Q" and the like, else ""."""

    question: str
    asked: Span
    level: int = 0
    label: str = ""
    start: int = -1
    end: int = -1
    told: bool = False

    def pair(self) -> Pair | None:
        """Return it with its answer; None where none was given, or where "Q:" found no "A:"."""
        if self.start < 0 or (self.label and not self.told):
            return None
        return Pair(self.question, self.asked, (self.start, self.end), sure=bool(self.level or self.label))


def pairs_in(text: str) -> list[Pair]:
    r"""Return the questions of a text that are answered there, in order.

    - "Q: …" up to the next question, where an "A: …" follows; also both on one line.
    - A heading that asks, and what stands below it, up to the next heading.
    - A paragraph of one line that asks, and the paragraph after it.
    - A table with a column of questions and one of answers, or with two columns of which all of the first ask.

    >>> [(p.question, "Who?\n\nMe. I."[slice(*p.answer)]) for p in pairs_in("Who?\n\nMe. I.\n\nAnd then.")]
    [('Who?', 'Me. I.')]
    """
    return sorted((*_pairs_in_lines(text), *_pairs_in_tables(text)), key=lambda pair: pair.asked)


def _pairs_in_lines(text: str) -> Iterator[Pair]:
    open_: _Open | None = None
    blank = True
    for line in _lines_with_offsets(text):
        if not line.text.strip():
            blank = True
            continue
        begun = _open_question_from_line(line, blank=blank)
        ends = begun or _HEADING.match(line.text) or (blank and open_ and _is_one_paragraph_answer(open_))
        if ends and open_:
            if pair := open_.pair():
                yield pair
            open_ = None
        if begun:
            open_ = begun
        elif open_:
            _read_on(open_, line)
        blank = False
    if open_ and (pair := open_.pair()):
        yield pair


def _is_one_paragraph_answer(open_: _Open) -> bool:
    """Say whether the answer ends with its paragraph: nothing but its place shows that it is one."""
    return open_.start >= 0 and not open_.level and not open_.label


def _open_question_from_line(line: _Line, *, blank: bool) -> _Open | None:
    """Return the question that a line opens; `blank`: it begins a paragraph."""
    heading = _HEADING.match(line.text)
    if heading:
        title = _strip_question_markup(heading[2].rstrip(" \t#"))
        return _Open(title, line.span, level=len(heading[1])) if _is_question_text(title) else None
    label = _QUESTION.match(line.text)
    if label:
        return _open_question_from_label(line, label)
    text = line.text.strip()
    alone = blank and len(text) <= LONGEST_QUESTION and not _has_pipes_at_ends(text) and not _ANSWER.match(text)
    return (
        _Open(_strip_question_markup(text), line.span)
        if alone and _is_question_text(text) and not _SENTENCE.search(text)
        else None
    )


def _open_question_from_label(line: _Line, label: regex.Match[str]) -> _Open | None:
    own = label["label"]
    inner = _INNER_ANSWER.search(line.text, label.end())
    end = inner.start() if inner else len(line.text)
    question = _strip_question_markup(line.text[label.end() : end])
    if not question or len(question) > LONGEST_QUESTION:
        return None
    open_ = _Open(question, (line.start, line.start + end), label=own)
    if inner and _is_label_pair(own, inner["label"]) and line.text[inner.end() :].strip():
        open_.told, open_.start, open_.end = True, line.start + inner.end(), line.start + len(line.text.rstrip())
    return open_


def _is_label_pair(question: str, answer: str) -> bool:
    """Say whether two labels belong together, however they are written."""
    return any(
        answer.casefold() in {one.casefold() for one in those}
        for asked, those in _ANSWERS.items()
        if asked.casefold() == question.casefold()
    )


def _read_on(open_: _Open, line: _Line) -> None:
    """Take a line into the answer."""
    text = line.text.rstrip()
    begin = len(text) - len(text.lstrip())
    label = _ANSWER.match(text)
    if open_.start < 0 and label and (not open_.label or _is_label_pair(open_.label, label["label"])):
        open_.told, begin = True, label.end()
    if begin >= len(text):
        return
    if open_.start < 0:
        open_.start = line.start + begin
    if line.start + len(text) - open_.start <= LONGEST_ANSWER:
        open_.end = line.start + len(text)
    elif open_.end < 0:
        open_.end = open_.start + LONGEST_ANSWER


def _pairs_in_tables(text: str) -> Iterator[Pair]:
    rows: list[_Line] = []
    for line in (*_lines_with_offsets(text), _Line("", len(text))):
        if _has_pipes_at_ends(line.text):
            rows.append(line)
            continue
        if rows:
            yield from _pairs_in_table_rows(rows)
        rows = []


def _pairs_in_table_rows(rows: Sequence[_Line]) -> Iterator[Pair]:
    """Yield what the rows of a table ask and answer; its first row names its columns."""
    cells = [_row_cells_with_spans(row) for row in rows if not _RULE.match(row.text)]
    columns = _question_answer_columns(cells)
    for row in cells[1:] if columns else ():
        (question, asked), (answer, span) = row[columns[0]], row[columns[1]]
        if question and answer and len(question) <= LONGEST_QUESTION:
            yield Pair(_strip_question_markup(question), asked, span)


def _question_answer_columns(cells: Sequence[Sequence[tuple[str, Span]]]) -> tuple[int, ...]:
    """Return which column asks and which answers; none where the table has no such columns."""
    if len(cells) < 2 or any(len(row) != len(cells[0]) for row in cells):
        return ()
    names = [name.casefold() for name, _ in cells[0]]
    for question, answer in LABELS:
        if question.casefold() in names and answer.casefold() in names:
            return names.index(question.casefold()), names.index(answer.casefold())
    asks = len(names) == 2 and all(_is_question_text(row[0][0]) for row in cells[1:])
    return (0, 1) if asks else ()


def _row_cells_with_spans(row: _Line) -> list[tuple[str, Span]]:
    """Return the cells of a row of a Markdown table, each with its span."""
    found: list[tuple[str, Span]] = []
    for match in _CELL.finditer(row.text):
        text = match[0].strip()
        start = row.start + match.start() + match[0].index(text) if text else row.start + match.start()
        found.append((text, (start, start + len(text))))
    return found


def _lines_with_offsets(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.split("\n"):
        yield _Line(line, start)
        start += len(line) + 1


def _is_question_text(text: str) -> bool:
    return len(text) <= LONGEST_QUESTION and _ASKS.search(text[-_TAIL:]) is not None


def _strip_question_markup(question: str) -> str:
    return question.strip(" \t>*_")


def _has_pipes_at_ends(line: str) -> bool:
    """Say whether a line is a row of a table: it begins and ends with a pipe."""
    bare = line.strip()
    return len(bare) > 1 and bare[0] == bare[-1] == "|"


def is_same(question: str, other: str) -> bool:
    """Say whether two questions are the same but for case, spaces and marks."""
    return bool(key := key_of(question)) and key == key_of(other)
