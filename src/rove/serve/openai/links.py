"""Sources as clients of OpenAI know them: annotations, each with an address that opens the words on the page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self
from urllib.parse import quote

from starlette.requests import Request

from rove.records import Answer, Citation
from rove.records.document import Span
from rove.serve.context import ServerContext, origin_of
from rove.serve.redaction import public_source
from rove.serve.schema import Reply
from rove.serve.space_folder import DEFAULT

_MARK = re.compile(r"\[(\d+)(?:≠\?)?\]")
_TOUCHING = re.compile(r"(\[\d+(?:≠\?)?\])(?=\[\d+(?:≠\?)?\])")
_DEFINITION = re.compile(r'\[\d+(?:≠\?)?\]: <[^<>\n]*> "[^"\n]*"')


class UrlCitation(Reply):
    """Where a source stands: its number in the text from `start_index` to before `end_index`, in characters."""

    start_index: int
    end_index: int
    title: str
    url: str


class Annotation(Reply):
    """An annotation of a message."""

    type: Literal["url_citation"] = "url_citation"
    url_citation: UrlCitation


@dataclass(frozen=True, slots=True)
class Links:
    """Makes the addresses of words: of the server's page, for one space. See `ServeSettings.public_url`."""

    origin: str
    space: str = ""

    @classmethod
    def of(cls, request: Request, server: ServerContext, space: str) -> Self:
        """Make it for a request; a space is named unless it is the one that a server has by itself."""
        return cls(origin_of(request, server), space if space != DEFAULT else "")

    def to(self, document_id: str, span: Span) -> str:
        """Return the address of words of a document.

        >>> Links("http://a").to("b/c", (2, 5)), Links("http://a", "hr").to("b", (2, 5))
        ('http://a/#/document/b%2Fc/2-5', 'http://a/?space=hr#/document/b/2-5')
        """
        asked = f"?space={quote(self.space, safe='')}" if self.space else ""
        return f"{self.origin}/{asked}#/document/{quote(document_id, safe='')}/{span[0]}-{span[1]}"


def citations_in(text: str, answer: Answer, links: Links) -> list[UrlCitation]:
    """Say for each number in an answer's text, as it is sent, which words it stands for, in the order of the text."""
    waiting: defaultdict[str, list[Citation]] = defaultdict(list)
    for sentence in answer.sentences:
        for citation in sentence.citations if sentence.kept else ():
            waiting[str(citation.number)].append(citation)
    found: list[UrlCitation] = []
    for mark in _MARK.finditer(text):
        if of_number := waiting.get(mark[1]):
            citation = of_number.pop(0) if len(of_number) > 1 else of_number[0]
            title = citation.title or public_source(citation.uri)
            title += f", {citation.time.clock}" if citation.time else ""
            title += f" (as it was on {citation.as_of})" if citation.as_of else ""
            url = links.to(citation.document_id, citation.span)
            found.append(UrlCitation(start_index=mark.start(), end_index=mark.end(), title=title, url=url))
    return found


def footer(text: str, citations: Sequence[UrlCitation]) -> str:
    """Return what makes the numbers in a text links where markdown is shown: definitions, which are not shown."""
    known: dict[str, UrlCitation] = {}
    for one in citations:
        known.setdefault(text[one.start_index : one.end_index], one)
    lines = [f'{mark}: <{one.url}> "{_clean_link_title(one.title)}"' for mark, one in known.items()]
    return "\n\n".join(["", "\n".join(lines)]) if lines else ""


def spaced(text: str) -> str:
    """Part numbers that touch: markdown would take two of them for one link.

    >>> spaced("So it is. [1][2≠?]")
    'So it is. [1] [2≠?]'
    """
    return _TOUCHING.sub(r"\1 ", text)


def without_footer(text: str) -> str:
    r"""Return an earlier reply as it was before `footer` came under it.

    >>> without_footer('Yes. [1]\n\n[1]: <http://a/#/document/b/2-5> "Policy"')
    'Yes. [1]'
    """
    lines = text.split("\n")
    while lines and (not lines[-1].strip() or _DEFINITION.fullmatch(lines[-1])):
        lines.pop()
    return "\n".join(lines)


def _clean_link_title(title: str) -> str:
    return " ".join(re.sub(r'["\\<>]', " ", title).split())
