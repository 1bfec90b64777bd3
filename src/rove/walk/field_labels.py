"""Labels of fields and columns: "Date:" before a value, "Status" over a column; they name nothing to go to. Pure."""

from __future__ import annotations

import re

from rove.answer.extract import Candidate
from rove.language.find_words import has_word
from rove.references.text_references import heading_number

_HEAD = re.compile(r"^[ \t]*\|(?P<cells>[^\n]+)\|[ \t]*\n[ \t]*\|[ \t:|-]+\|[ \t]*$", re.MULTILINE)
_LABEL = re.compile(r"^[ \t*_>|-]*+(?P<name>[^\s:：][^\n:：]{0,80}?)[*_]{0,3}\s?[:：](?!//)", re.MULTILINE)
_DEFINED = re.compile(r"[“\"„](?P<name>[^“\"„”\n]{1,80})[”\"“]\s(?:means|bedeutet|jelent|ist|is|:)")

_MAIL_HEAD = re.compile(r"(?:From|To|Cc|Date|Subject): ")
_NUMBER = re.compile(r"\s\d+\Z")


def is_field_label(name: str, text: str) -> bool:
    r"""Say whether a name stands in a text as the label of a field, as a column's head, or as a term that is defined.

    >>> text = "To: Ann\n\n| Site | Class |\n|---|---|\n| Brack | Cobalt |\n"
    >>> [is_field_label(name, text) for name in ("To", "Site", "Brack")]
    [True, True, False]
    >>> is_field_label("Plant", 'A "Plant" means all that cools.')
    True
    """
    if name.casefold() in (found["name"].casefold() for found in _LABEL.finditer(text)):
        return True
    if name in (found["name"] for found in _DEFINED.finditer(text)):
        return True
    heads = [cell.strip(" *_").casefold() for head in _HEAD.finditer(text) for cell in head["cells"].split("|")]
    return name.casefold() in heads


def is_mail_head(candidate: Candidate) -> bool:
    """Say whether a sentence is the head of a mail, which says nothing of what is asked; no row is one."""
    return not candidate.is_row and bool(_MAIL_HEAD.match(candidate.text))


def is_furniture(name: str, sentence: str, read: str) -> bool:
    """Say whether a name is a word of the page: what is numbered (Table 3), a label, or what is written small as well.

    A number behind it (Note 4) is not looked at. Of a name that opens its sentence ("Choose Format") it is enough that
    each of its words is written small.
    """
    small = _NUMBER.sub("", name.casefold())
    parts = small.split() if sentence.startswith(name) else [small]
    common = not name.startswith(small) and all(has_word(read, part) for part in parts)
    return common or bool(heading_number(f"{name} 1")[0]) or is_field_label(name, read)
