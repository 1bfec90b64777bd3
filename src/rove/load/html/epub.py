"""EPUB books: the chapters in reading order, under the titles of the table of contents, with their notes."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import unquote

from rove.errors import InputError
from rove.load.container import CURE, open_container
from rove.load.html.main import drop_unseen
from rove.load.html.notes import Footnotes, find_notes, is_note_link
from rove.load.html.parts import TextPart, join
from rove.load.html.text import html_parts
from rove.load.html.tree import HtmlNode, decode_page, parse_html
from rove.load.markdown import first_title, markdown_sections
from rove.load.text import clean, identify, require_text, stem
from rove.load.xmltree import Node, parse_part
from rove.records import Document, Source
from rove.records.source import MetaValue

PACKAGE = "{http://www.idpf.org/2007/opf}"
DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
NCX = "{http://www.daisy.org/z3986/2005/ncx/}"
CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"
ENCRYPTION = "{http://www.w3.org/2001/04/xmlenc#}"
FONT_METHODS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
FIELDS = {"author": "creator", "publisher": "publisher", "date": "date", "description": "description",
          "identifier": "identifier", "rights": "rights"}  # fmt: skip
MAX_LEVEL = 6


@dataclass(frozen=True, slots=True)
class ContentsEntry:
    """A line of the table of contents: the file that it leads to, and how deep it stands, from 1."""

    title: str
    level: int


class EpubLoader:
    """See `Loader`. A book is one document; a chapter that is not there or not whole leaves the others."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        with open_container(source) as archive:
            book = _EpubPackage(archive, source)
            written = join(book.parts())
        sections = markdown_sections(written.text, setext=False)
        language = book.fact("language").replace("_", "-").split("-")[0].lower()
        yield Document(
            document_id=identify(source),
            source=source.uri,
            kind="epub",
            text=require_text(written.text, source),
            title=book.fact("title") or first_title(sections) or stem(source),
            language=language if len(language) == 2 and language.isalpha() else "und",
            metadata=book.fields(),
            sections=sections,
            blocks=written.blocks,
        )
        if book.missing:
            message = f"{len(book.missing)} parts of {source.name!r} could not be read: {'; '.join(book.missing[:10])}."
            raise InputError(message, cure=CURE, outcome="partial")


class _EpubPackage:
    """The package of a book: its facts, its chapters and its table of contents."""

    def __init__(self, archive: zipfile.ZipFile, source: Source) -> None:
        self.archive = archive
        self.source = source
        self.names = set(archive.namelist())
        self.missing: list[str] = []
        self._check_protection()
        container = parse_part(self.read("META-INF/container.xml"), "META-INF/container.xml")
        roots = [node.get("full-path", "") for node in container.iter(f"{CONTAINER}rootfile")]
        self.path = next((path for path in roots if path in self.names), "")
        self.package = parse_part(self.read(self.path or (roots or ["content.opf"])[0]), self.path)
        items = list(self.package.iter(f"{PACKAGE}item"))
        self.files = {item.get("id", ""): self.resolve(self.path, item.get("href", "")) for item in items}
        self.nav = self._file(items, "properties", "nav")
        self.ncx = self._file(items, "media-type", "application/x-dtbncx+xml")

    def _file(self, items: list[Node], key: str, word: str) -> str:
        """Return the name of the first part that is marked as that, "" where none is."""
        return next((self.files[item.get("id", "")] for item in items if word in item.get(key, "").split()), "")

    def read(self, name: str) -> bytes:
        """Return a part's bytes.

        Raises:
            InputError: "damaged" - it is not there, or not whole.
        """
        try:
            return self.archive.read(name)
        except (KeyError, zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
            message = f"{self.source.name!r} is not a complete book: its part {name!r} cannot be read ({error})."
            raise InputError(message, cure=CURE) from error

    @staticmethod
    def resolve(base: str, href: str) -> str:
        """Return the name of the part that `href` in the part `base` leads to."""
        path = unquote(href.partition("#")[0])
        return posixpath.normpath(posixpath.join(posixpath.dirname(base), path)) if path else base

    def fact(self, name: str) -> str:
        return next((" ".join(clean(n.text or "").split()) for n in self.package.iter(f"{DUBLIN_CORE}{name}")), "")

    def fields(self) -> dict[str, MetaValue]:
        fields: dict[str, MetaValue] = {name: value for name, key in FIELDS.items() if (value := self.fact(key))}
        subjects = (" ".join(clean(node.text or "").split()) for node in self.package.iter(f"{DUBLIN_CORE}subject"))
        if keywords := tuple(subject for subject in subjects if subject):
            fields["keywords"] = keywords
        return fields

    def parts(self) -> Iterator[TextPart]:
        """Yield what the chapters say; notes of all chapters have labels of their own."""
        contents = self.contents()
        chapters: dict[str, HtmlNode] = {}
        for name in self.spine():
            try:
                root = parse_html(decode_page(self.read(name)))
            except InputError as error:
                self.missing.append(error.reason.rstrip("."))
                continue
            drop_unseen(root)
            chapters[name] = root
        notes = self.notes(chapters)
        for name, root in chapters.items():
            yield from _align_chapter_headings(html_parts(root, notes=notes[name]), contents.get(name, []))

    def spine(self) -> Iterator[str]:
        """Yield the names of the chapters in reading order; the table of contents itself is none."""
        order = [node.get("idref", "") for node in self.package.iter(f"{PACKAGE}itemref")]
        for identifier in dict.fromkeys(order):
            if identifier not in self.files:
                self.missing.append(f"the chapter {identifier!r} is not among its parts")
            elif self.files[identifier] != self.nav:
                yield self.files[identifier]

    def contents(self) -> dict[str, list[ContentsEntry]]:
        """Return the entries of the table of contents by the file that they lead to."""
        found: dict[str, list[ContentsEntry]] = {}
        try:
            entries = list(self._nav_entries() if self.nav else self._ncx_entries() if self.ncx else ())
        except InputError as error:  # the chapters have headings of their own
            self.missing.append(error.reason.rstrip("."))
            return found
        for name, entry in entries:
            found.setdefault(name, []).append(entry)
        return found

    def notes(self, chapters: dict[str, HtmlNode]) -> dict[str, Footnotes]:
        """Return the notes of each chapter: a note may stand in another file than the link to it."""
        targets: dict[str, dict[str, str]] = {name: {} for name in chapters}
        links: dict[str, dict[str, str]] = {name: {} for name in chapters}
        for number, (name, root) in enumerate(chapters.items(), 1):
            own = find_notes(root, prefix=f"{number}." if len(chapters) > 1 else "")
            targets[name].update(own.labels)
            links[name].update(own.links)
            for link in root.iter("a"):
                href = link.get("href")
                file, _, fragment = href.partition("#")
                target = self.resolve(name, href)
                if file and fragment and target in targets and is_note_link(link):
                    label = targets[target].setdefault(fragment, f"{number}.{len(links[name]) + 1}")
                    links[name][href] = label
        return {name: Footnotes(targets[name], links[name]) for name in chapters}

    def _nav_entries(self) -> Iterator[tuple[str, ContentsEntry]]:
        root = parse_html(decode_page(self.read(self.nav)))
        toc = next((nav for nav in root.iter("nav") if "toc" in nav.get("epub:type").split()), root)
        for link in toc.iter("a"):
            level, parent = 0, link.getparent()
            while parent is not None and parent is not toc:
                level, parent = level + (parent.tag == "ol"), parent.getparent()
            yield (
                self.resolve(self.nav, link.get("href")),
                ContentsEntry(" ".join("".join(link.itertext()).split()), level),
            )

    def _ncx_entries(self) -> Iterator[tuple[str, ContentsEntry]]:
        for point in parse_part(self.read(self.ncx), self.ncx).iter(f"{NCX}navPoint"):
            label, target = point.find(f"{NCX}navLabel/{NCX}text"), point.find(f"{NCX}content")
            level, parent = 1, point.getparent()
            while parent is not None and parent.tag == f"{NCX}navPoint":
                level, parent = level + 1, parent.getparent()
            if label is not None and target is not None:
                title = " ".join((label.text or "").split())
                yield self.resolve(self.ncx, target.get("src", "")), ContentsEntry(title, level)

    def _check_protection(self) -> None:
        """Refuse books whose chapters are encrypted; fonts often are, which does no harm."""
        if "META-INF/encryption.xml" not in self.names:
            return
        root = parse_part(self.read("META-INF/encryption.xml"), "META-INF/encryption.xml")
        methods = [node.get("Algorithm", "") for node in root.iter(f"{ENCRYPTION}EncryptionMethod")]
        if any(not method.startswith(FONT_METHODS) for method in methods):
            message = f"{self.source.name!r} is protected (DRM)."
            raise InputError(message, cure="Add a copy without protection.", outcome="encrypted")


def _align_chapter_headings(parts: list[TextPart], entries: list[ContentsEntry]) -> Iterator[TextPart]:
    """Yield a chapter with its headings at the level of the table of contents, its title there where it has none."""
    headings = [len(part.text) - len(part.text.lstrip("#")) for part in parts if _is_heading_part(part)]
    depth = entries[0].level if entries else 1
    if entries and not headings and any(part.text.strip() for part in parts):
        yield TextPart(f"{'#' * min(depth, MAX_LEVEL)} {entries[0].title}")
    shift = depth - min(headings, default=depth)
    for part in parts:
        if _is_heading_part(part) and shift > 0:
            marks = part.text[: len(part.text) - len(part.text.lstrip("#"))]
            level = min(len(marks) + shift, MAX_LEVEL)
            yield replace(part, text="#" * level + part.text[len(marks) :])
        else:
            yield part


def _is_heading_part(part: TextPart) -> bool:
    return not part.kind and part.text.startswith("#")
