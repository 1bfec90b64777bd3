"""Footnotes of pages and books: which links refer to one, and which elements are one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from rove.load.html.tree import HtmlNode

NOTE_LINK = re.compile(r"(?:^|[^a-z])(?:fn|ftn|footnote|endnote|cite_note|note)s?(?![a-z])", re.IGNORECASE)
NOTE_LABEL = re.compile(r"[\[(]?\s*([^\s\[\]()^|]{1,12})\s*[\])]?")


@dataclass(frozen=True, slots=True)
class Footnotes:
    """Footnotes: `labels` by the id of the element that is one, `links` by the target of a link that refers to one."""

    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    links: Mapping[str, str] = field(default_factory=dict[str, str])


def find_notes(root: HtmlNode, *, prefix: str = "") -> Footnotes:
    """Find the footnotes that links in `root` refer to; two that have the same label get different ones."""
    labels: dict[str, str] = {}
    for link in root.iter("a"):
        target = link.get("href")
        if is_note_link(link) and target.startswith("#") and target[1:] not in labels:
            found = NOTE_LABEL.fullmatch("".join(link.itertext()).strip())
            label = prefix + (found[1] if found else str(len(labels) + 1))
            labels[target[1:]] = label if label not in labels.values() else f"{label}-{len(labels) + 1}"
    there = {node.get("id") for node in root.iter() if node.get("id") in labels} if labels else set[str]()
    labels = {target: label for target, label in labels.items() if target in there}
    return Footnotes(labels, {f"#{target}": label for target, label in labels.items()})


def is_note_link(link: HtmlNode) -> bool:
    """Say whether a link refers to a footnote: by its role, or raised and with a target that is named as one."""
    kind = f"{link.get('epub:type')} {link.get('role')} {link.get('class')}"
    if "backlink" in kind or "footnote-back" in kind:
        return False
    if "noteref" in kind or "footnote-ref" in kind:
        return True
    parent = link.getparent()
    raised = (parent is not None and parent.tag == "sup") or any(child.tag == "sup" for child in link)
    return raised and bool(NOTE_LINK.search(link.get("href")))
