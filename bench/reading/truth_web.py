"""What stands in pages, books, feeds and mail."""

from __future__ import annotations

import email
import email.policy
import posixpath
import re
from pathlib import Path
from zipfile import ZipFile

from lxml import etree
from lxml import html as pages

from bench.reading.truth import Heading, Truth

# Where a reader would say that the page's own text stands, chosen by hand for each page; the last is for all others.
MAIN = {
    "test_wikipedia.html": "//main[@id='content']",
    "test_blog.html": "//article[@itemprop='blogPost']",
    "test_serp.html": "//main",
    "": "//body",
}
# What is no text of the page, though it stands within: for editors, for moving about, for machines.
BOXES = {"toc", "navbox", "mw-editsection", "noprint", "mw-jump-link", "metadata", "printfooter", "catlinks",
         "vector-page-toolbar", "mw-portlet-lang", "vector-body-before-content"}  # fmt: skip
UNSEEN = ("script", "style", "noscript", "template", "svg", "button", "input", "select", "nav", "head")
BLOCKS = {"p", "div", "li", "ul", "ol", "td", "th", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6", "br", "pre",
          "dt", "dd", "section", "article", "figcaption", "caption", "blockquote", "header", "footer", "hr",
          "details"}  # fmt: skip
MSG_STREAMS = {"subject": "__substg1.0_0037001F", "text": "__substg1.0_1000001F"}


def html(path: Path) -> Truth:
    """Read a page: what stands in its main part."""
    root = pages.fromstring(path.read_bytes().decode("utf-8", "replace"))
    titles = [text_of(node) for node in root.iter("title")]
    found = root.xpath(MAIN.get(path.name, MAIN[""]))
    truth = of_element(found[0] if found else root)
    truth.spare = "\n".join([*titles, *truth.images])
    return truth


def of_element(root) -> Truth:
    for node in [node for node in root.iter() if unseen(node) and node is not root]:
        if node.getparent() is not None:
            node.drop_tree()
    truth = Truth(text=text_of(root))
    for node in root.iter("h1", "h2", "h3", "h4", "h5", "h6"):
        if text_of(node).strip():
            truth.headings.append(Heading(int(node.tag[1]), text_of(node)))
    for table in root.iter("table"):
        rows = [[text_of(cell) for cell in row.iterchildren("td", "th")] for row in table.iter("tr")]
        if len(rows) > 1 and max(map(len, rows)) > 1 and table.find(".//table") is None:
            truth.tables += [row for row in rows if any(text.strip() for text in row)]
    truth.links = [to for a in root.iter("a") if re.match("https?://", to := a.get("href", "")) and text_of(a).strip()]
    truth.images = [alt for image in root.iter("img") if (alt := image.get("alt", "").strip())]
    truth.code = [text for node in root.iter("pre") if (text := node.text_content().strip())]
    return truth


def unseen(node) -> bool:
    return not isinstance(node.tag, str) or node.tag in UNSEEN or bool(BOXES & set((node.get("class") or "").split()))


def text_of(node) -> str:
    out: list[str] = []
    for event, part in etree.iterwalk(node, events=("start", "end")):
        if event == "start":
            out += ["\n"] if part.tag in BLOCKS else []
            out.append(part.text or "")
        else:
            out += ["\n"] if part.tag in BLOCKS else []
            out.append((part.tail or "") if part is not node else "")
    return "".join(out)


def epub(path: Path) -> Truth:
    """Read a book: its pages in the order of the spine."""
    whole = Truth()
    with ZipFile(path) as book:
        container = etree.fromstring(book.read("META-INF/container.xml"))
        place = container.find(".//{*}rootfile").get("full-path")
        package = etree.fromstring(book.read(place))
        items = {item.get("id"): item.get("href") for item in package.iter("{*}item")}
        for reference in package.iter("{*}itemref"):
            name = posixpath.join(posixpath.dirname(place), items[reference.get("idref")])
            page = of_element(pages.fromstring(book.read(name)).find("body"))
            whole.text += page.text + "\n"
            for part in ("headings", "tables", "links", "images", "code"):
                getattr(whole, part).extend(getattr(page, part))
    return whole


def feed(path: Path) -> Truth:
    """Read a feed: title and description of every item."""
    root, truth = etree.fromstring(path.read_bytes()), Truth()
    for item in root.iter("item", "{*}entry"):
        title = item.findtext("title") or ""
        described = (
            item.findtext("{http://purl.org/rss/1.0/modules/content/}encoded") or item.findtext("description") or ""
        )
        inner = of_element(pages.fromstring(f"<div>{described}</div>"))
        truth.text += f"{title}\n{inner.text}\n"
        truth.headings.append(Heading(1, title))
        truth.headings += [Heading(heading.level + 1, heading.title) for heading in inner.headings]
        truth.links += inner.links
        truth.images += inner.images
    truth.spare = etree.tostring(root, method="text", encoding="unicode")
    return truth


def eml(path: Path) -> Truth:
    """Read a mail: its subject, the text that is shown, and the texts that are attached."""
    mail = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    shown = mail.get_body(("plain", "html"))
    truth = Truth(text=str(mail["subject"] or "") + "\n", ordered=False)
    if shown is not None:
        body = shown.get_content()
        truth.text += body if shown.get_content_type() == "text/plain" else of_element(pages.fromstring(body)).text
    for part in mail.iter_attachments():
        if part.get_content_maintype() == "text":
            truth.text += "\n" + part.get_content()
    truth.spare = " ".join(f"{name} {value}" for name, value in mail.items())
    return truth


def msg(path: Path) -> Truth:
    """Read a message of Outlook: its subject and its text."""
    import olefile

    with olefile.OleFileIO(path) as file:
        kept = {k: file.openstream(v).read().decode("utf-16-le") for k, v in MSG_STREAMS.items() if file.exists(v)}
        names = [entry for entry in file.listdir() if entry[-1].endswith("001F")]
        spare = [file.openstream(entry).read().decode("utf-16-le", "replace") for entry in names]
    return Truth(text="\n".join(kept.values()), spare="\n".join(spare))
