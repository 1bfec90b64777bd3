"""What viewers of Markdown make of a file: whether anything in it acts."""

from __future__ import annotations

from markdown_it import MarkdownIt

from rove.language.markdown import Parser


def viewers() -> list[MarkdownIt]:
    """CommonMark and with tables, with HTML and links of any kind: what is active is shown as such."""
    made = [Parser("commonmark", {"html": True}), Parser("commonmark", {"html": True}).enable("table")]
    return [*made, MarkdownIt("js-default", {"html": True, "linkify": False})]


def acts(markdown: str, *, headings: int = 0) -> list[str]:
    """Say what would act or go on after the end in any viewer; and whether it has other than so many great headings."""
    found: list[str] = []
    for viewer in viewers():
        *blocks, last = [
            child for token in viewer.parse(f"{markdown}\n\n## End\n") for child in (token, *(token.children or ()))
        ]
        found += [] if last.type == "heading_close" else ["what comes after it is inside"]
        found += [one.content for one in blocks if one.type in {"html_block", "html_inline", "image"}]
        links = [str(one.attrs["href"]) for one in blocks if one.type == "link_open"]
        found += [link for link in links if not link.startswith(("https://", "http://", "mailto:"))]
        great = sum(one.type == "heading_open" and one.tag in {"h1", "h2"} for one in blocks) - 1
        found += [f"{great} headings"] if great != headings and not found else []
    return found
