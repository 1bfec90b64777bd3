"""What the names of tables say for a question: its words by short forms, and by definitions of the base's own.

A list of short forms knows those of its field, in English. Any base has others: they are looked up from the question's
side, which has the words. What a name stands for is also known where another column of that name has a comment, or
where a passage that was found defines it, as a data dictionary does: "KUNNR  customer number".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from math import log

import regex

from rove.language.cue_words import UNSPACED
from rove.language.identifiers import in_words, is_word, parts
from rove.language.short_forms import fold_accents, forms_in, may_stand_for
from rove.language.stopwords import stop_words
from rove.language.words import query_terms, terms
from rove.records.schema import Column, TableSchema

ALWAYS, WITHOUT = 0.5, 2.0
"""What this evidence counts beside a score, and as much more as words of the question stand nowhere in the tables."""
IN_COLUMN = 0.6
"""What a form in the name of a column counts; in that of a table 1."""
DEFINED = 0.9
"""What a word counts that defines a name elsewhere."""
LEAST_WORD = 4
"""Letters of a word that may be shortened."""
DEFINITION_CHARS = 200
LANGUAGE = "en"
"""What names are analysed as."""
_WORD = regex.compile(r"[^\W\d_]+")
_DEFINED = regex.compile(
    r"^(?:[^\S\n]|[|*•·-])*+`?(?P<name>[\p{L}_][\w$#]*)`?\*{0,2}"
    r"(?:\s*[|:=–—→]\s*|\s+-{1,2}>?\s+|\t+| {2,}|\s*\()(?P<said>[^\n]+)",
    regex.MULTILINE,
)


class NameEvidence:
    """The names of tables, looked up by the words of questions. `tables` by the ids of their documents."""

    def __init__(self, tables: Mapping[str, TableSchema]) -> None:
        self._tables = tables
        self._forms: defaultdict[str, dict[str, float]] = defaultdict(dict)
        self._begun: defaultdict[str, list[str]] = defaultdict(list)
        self._said: dict[str, set[str]] = {}
        self._names: defaultdict[str, dict[str, float]] = defaultdict(dict)
        self._known: defaultdict[str, int] = defaultdict(int)
        defined = _column_name_definitions(tables.values())
        self._definitions: dict[str, str] = {}
        self._learned: dict[str, dict[str, set[str]]] = {}
        for document_id, table in tables.items():
            self._add(document_id, table, defined)
        for form in self._forms:
            self._begun[form[0]].append(form)
        for said in self._said.values():
            for term in said:
                self._known[term] += 1
        self._cryptic = _cryptic_name_shares(tables.values())

    def for_question(self, question: str, language: str, passages: Iterable[str] = ()) -> dict[str, float]:
        """Return what speaks for tables, those alone for which something does: 0 …, about as a score of 0 … 1 counts.

        `passages`: texts that were found for the question, in which definitions are looked for.
        """
        stems = _stems(question, language)
        if not stems or not self._tables:
            return {}
        learned = self._glossary(passages, language)
        total: defaultdict[str, float] = defaultdict(float)
        for word, stem in stems.items():
            found = self._of_word(word, stem, learned)
            if found:
                top = max(found.values())
                rarity = log(1 + len(self._tables) / (sum(found.values()) / top + self._known.get(stem, 0)))
                for document_id, weight in found.items():
                    total[document_id] += rarity * weight
        without = sum(1 for stem in stems.values() if not self._known.get(stem)) / len(stems)
        counts = (ALWAYS + WITHOUT * without) / log(1 + len(self._tables))
        return {name: counts * self._cryptic[self._tables[name].database] * score for name, score in total.items()}

    def _add(self, document_id: str, table: TableSchema, defined: Mapping[str, list[str]]) -> None:
        said, learned = set[str](), list[str]()
        named = [
            (table.name, _label_and_comment(table), 1.0),
            *((one.name, _label_and_comment(one), IN_COLUMN) for one in table.columns),
        ]
        for name, told, weight in named:
            said.update(terms(f"{told} {in_words(name)} {name.replace('_', ' ')}", LANGUAGE))
            self._names[name.casefold()][document_id] = weight
            if told:
                continue
            learned += defined.get(name.casefold(), ())
            for form, share in forms_in(name).items():
                held = self._forms[form]
                held[document_id] = max(held.get(document_id, 0.0), share * weight)
        self._said[document_id] = said
        self._definitions[document_id] = "\n".join(dict.fromkeys(learned))

    def _of_word(self, word: str, stem: str, learned: Mapping[str, dict[str, float]]) -> dict[str, float]:
        """The tables that have a word in a short form, or in a definition, and not as it is."""
        found: defaultdict[str, float] = defaultdict(float)
        for form in self._begun.get(word[0], ()) if len(word) >= LEAST_WORD else ():
            share = max(may_stand_for(form, word), may_stand_for(form, stem))
            if share:
                for document_id, weight in self._forms[form].items():
                    found[document_id] = max(found[document_id], share * weight)
        for document_id, weight in learned.get(stem, {}).items():
            found[document_id] = max(found[document_id], DEFINED * weight)
        return {name: weight for name, weight in found.items() if stem not in self._said[name]}

    def _glossary(self, passages: Iterable[str], language: str) -> dict[str, dict[str, float]]:
        """The words that define names of tables elsewhere, and these tables: in comments, and in passages."""
        told = self._learned.get(language)
        if told is None:
            told = {name: set(terms(text, language)) for name, text in self._definitions.items() if text}
            self._learned = {language: told}
        found: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for document_id, said in told.items():
            for term in said:
                found[term][document_id] = IN_COLUMN
        for match in (match for passage in passages for match in _DEFINED.finditer(passage)):
            name = match["name"].casefold()
            if not all(map(is_word, parts(name))):
                for term in terms(match["said"][:DEFINITION_CHARS], language):
                    found[term].update(self._names.get(name, {}))
        return found


def _stems(question: str, language: str) -> dict[str, str]:
    """The words of a question that say something, with their stems; of Chinese and Japanese its terms."""
    if language in UNSPACED:
        return {term: term for term in query_terms(question, language)}
    words = dict.fromkeys(word for word in _WORD.findall(question.casefold()) if word not in stop_words(language))
    return {fold_accents(word): next(iter(terms(word, language)), word) for word in words}


def _label_and_comment(one: TableSchema | Column) -> str:
    """What is told of a table or a column, but for a label that only spells its name out."""
    label = "" if one.label == in_words(one.name) else one.label
    return f"{label} {one.comment}".strip()


def _column_name_definitions(tables: Iterable[TableSchema]) -> dict[str, list[str]]:
    """What the labels and comments of columns say, by the names of the columns that are no plain words."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for table in tables:
        for column in table.columns:
            told = _label_and_comment(column)
            if told and not all(map(is_word, parts(column.name))):
                found[column.name.casefold()].append(told[:DEFINITION_CHARS])
    return found


def _cryptic_name_shares(tables: Iterable[TableSchema]) -> dict[str, float]:
    """Which share of the parts of its names is no plain word and is not explained, by database."""
    parts_of: defaultdict[str, set[str]] = defaultdict(set)
    plain_of: defaultdict[str, set[str]] = defaultdict(set)
    for table in tables:
        for one in (table, *table.columns):
            own = {part for part in parts(one.name) if part.isalpha() and len(part) > 2}
            parts_of[table.database] |= own
            plain_of[table.database] |= own if _label_and_comment(one) else set(filter(is_word, own))
    return {name: 1 - len(plain_of[name]) / max(1, len(own)) for name, own in parts_of.items()}
