"""The content of a page: hidden things, menus, banners and forms are taken out, and its main part is found."""

from __future__ import annotations

import re

from rove.load.html.table import is_layout
from rove.load.html.text import HEADINGS, UNSEEN
from rove.load.html.tree import HtmlNode

TAGS = {"nav", "footer", "aside", "form", "dialog"}
ROLES = {"navigation", "complementary", "search", "dialog", "alertdialog", "menu", "menubar",
         "toolbar", "doc-backlink"}  # fmt: skip
PAGE_ROLES = {"banner", "contentinfo"}  # they are the whole page's: within the main content the role means nothing
# Names that sites give to what is no content; the weak ones are believed only of what is short or made of links.
STRONG = re.compile(
    r"(?:^|[\s_-])(?:cookie-?(?:banner|bar|consent|notice|policy)\S*|cookie|onetrust\S*|CybotCookiebot\S*|cc-window|gdpr"
    r"|breadcrumbs?|pagination|pager|skip-?(?:link|nav|to-?content)\S*|hash-link|headerlink|anchorjs-link|sr-only"
    r"|screen-reader-text|visually-?hidden|no-?print|mw-editsection|mw-jump-link|mw-cite-backlink|navbox|catlinks"
    r"|printfooter|p-lang-btn|vector-page-toolbar|mwe-math-fallback-image\S*|katex-html|docnav|sphinxsidebar"
    r"|prev-next\S*|linenos?|line-numbers-rows|lineno)(?=$|[\s_-])",
    re.IGNORECASE,
)
WEAK = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navigation|menu|sidebar|footer|masthead|topbar|share|sharing|social|related|recommend\w*"
    r"|promo|advert\w*|ads?|sponsor\w*|newsletter|subscribe|signup|login|consent|popup|modal|toolbar|toc|widget"
    r"|tags?|meta-?nav|byline-links)(?=$|[\s_-])",
    re.IGNORECASE,
)
PLACES = {"body", "div", "center", "section", "article", "form", "table", "tbody", "tr", "td", "font", "span"}
NOTES = re.compile(r"(?:foot|end|rear)note", re.IGNORECASE)
# What Wikipedias call the line under a heading that names the main article.
HATNOTES = re.compile(r"(?:^|[\s_-])(?:hatnote|hauptartikel|rellink|dablink)(?=$|[\s_-])", re.IGNORECASE)
RIGHTS = re.compile(r"\s*(?:©|\(c\)|copyright|all rights reserved)", re.IGNORECASE)
ROLE_HOLDERS = ("li", "div", "span")
CONTROLS = ("aria-controls", "data-bs-target", "data-target", "href")
"""Attributes that say what an element opens, by its id."""
HIDDEN = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
SHORT_CHARS, LONG_CHARS = 300, 1000
LINK_SHARE, SHORT_LINK_SHARE = 0.5, 0.3
LINK_LIST_SHARE, MIN_LINKS, LINK_CHARS = 0.8, 5, 40
MAIN_SHARE = 4  # what a page marks as its main content is believed when it holds a quarter of the text
INNER_SHARE = 0.9  # without a mark, the main content is the innermost element with that share of the text


class _Weights:
    """How much text, and how much text of links, each element holds, in characters."""

    def __init__(self, root: HtmlNode) -> None:
        self.text: dict[HtmlNode, int] = {}
        self.links: dict[HtmlNode, int] = {}
        for node in reversed(list(root.iter())):
            text = self.text.get(node, 0) + len((node.text or "").strip())
            links = self.links.get(node, 0)
            if node.tag == "a":
                links = text
            self.text[node], self.links[node] = text, links
            parent = node.getparent()
            if parent is not None:
                self.text[parent] = self.text.get(parent, 0) + text + len((node.tail or "").strip())
                self.links[parent] = self.links.get(parent, 0) + links

    def prose(self, node: HtmlNode) -> int:
        return self.text[node] - self.links[node]

    def linked(self, node: HtmlNode) -> float:
        return self.links[node] / max(1, self.text[node])


def drop_unseen(root: HtmlNode) -> None:
    """Take out what a reader does not see: scripts, styles, forms' fields, hidden elements.

    Hidden prose stays: a script unfolds it, as under tabs; so does what a button, tab or heading before it opens,
    however short, with the words of that button. A hidden menu or dialog goes.
    """
    panels = _show_controls(root)
    for node in list(root.iter()):
        script = node.tag == "script" and not node.get("type").startswith("math/")
        if script or (node.tag in UNSEEN and node.tag not in ("head", "rt", "rp", "base")):
            _drop_html_element(node)
    weights = _Weights(root)
    for node in list(root.iter()):
        if (
            _is_hidden(node)
            and node.tag not in ("body", "html")
            and node.find(".//math") is None
            and not (_is_folded_text(node, weights) or (node in panels and _is_panel(node, weights)))
        ):
            _drop_html_element(node)


def drop_boilerplate(root: HtmlNode) -> list[HtmlNode]:
    """Take out what is no content: by tag, role and name, and lists of links beside a long text.

    Nothing that holds more than half of the page's text is taken out. Returns the footers that are kept.
    """
    weights = _Weights(root)
    total = weights.text[root]
    has_text = weights.prose(root) > LONG_CHARS and weights.linked(root) < LINK_SHARE
    footers = [] if has_text else _keep_contact_footers(root, weights)
    for node in list(root.iter()):
        if node.tag in ("html", "head", "body", "main") or weights.text[node] * 2 > total:
            continue
        if _is_boilerplate(node, weights) or (has_text and _is_link_list(node, weights)):
            _drop_html_element(node)
    return footers


def _keep_contact_footers(root: HtmlNode, weights: _Weights) -> list[HtmlNode]:
    """Keep the hours, telephones and addresses of footers, which hold figures, on a page that says little beside.

    Their links and rights are taken out.
    """
    kept: list[HtmlNode] = []
    for footer in list(root.iter("footer")):
        for node in list(footer.iter()):
            is_rights = node.tag in ("p", "small", "div", "li", "span") and RIGHTS.match("".join(node.itertext()))
            if node is not footer and (is_rights or node.tag in TAGS or weights.linked(node) > LINK_SHARE):
                _drop_html_element(node)
        words = "".join(footer.itertext())
        if not RIGHTS.match(words) and any(map(str.isdigit, words)):
            footer.tag = "section"
            kept.append(footer)
    return kept


def main_content(root: HtmlNode) -> HtmlNode:
    """Return the element with the main content: the marked one where that is believable, else the densest."""
    weights = _Weights(root)
    marked = [node for node in root.iter() if node.tag == "main" or node.get("role") == "main"][:1]
    articles = list(root.iter("article"))
    marked += articles if len(articles) == 1 else []  # several articles are a list, not the main content
    for node in marked:
        if weights.text[node] and weights.text[node] * MAIN_SHARE >= weights.text[root]:
            return node
    share = (
        weights.prose if weights.linked(root) < LINK_SHARE else weights.text.__getitem__
    )  # a page of links is no text
    node, whole = root, share(root)
    while True:
        inner = next((child for child in node if share(child) > whole * INNER_SHARE), None)
        if inner is None or inner.tag not in PLACES or (inner.tag == "table" and not is_layout(inner)):
            return node
        node = inner


def page_heading(root: HtmlNode, main: HtmlNode) -> str:
    """Return the page's one <h1> where it stands outside of the main content, which has none; else ""."""
    if next(main.iter("h1"), None) is not None:
        return ""
    found = [" ".join("".join(node.itertext()).split()) for node in root.iter("h1")]
    return found[0] if len(found) == 1 else ""


def _show_controls(root: HtmlNode) -> set[HtmlNode]:
    """Return what buttons, tabs and headings unfold, and make buttons that do so text: they are its headings."""
    by_id = {node.get("id"): node for node in root.iter() if node.get("id")}
    panels: set[HtmlNode] = set()
    for node in list(root.iter("button", "a", "summary", "label", *ROLE_HOLDERS)):
        if node.tag in ROLE_HOLDERS and node.get("role") not in ("tab", "button"):
            continue
        targets = (node.get(name).lstrip("#") for name in CONTROLS)
        opened = next((by_id[target] for target in targets if target and target in by_id), None)
        opened = _following(node) if opened is None and node.tag in ("button", *ROLE_HOLDERS) else opened
        if opened is not None and _is_hidden(opened):
            panels.add(opened)
            node.tag = "span" if node.tag == "button" else node.tag
    for heading in root.iter(*HEADINGS, "dt"):
        opened = _following(heading)
        if opened is not None and _is_hidden(opened):
            panels.add(opened)
    return panels


def _following(node: HtmlNode) -> HtmlNode | None:
    """The element after this one; after the heading that a button stands in, where it is alone there."""
    after = node.getnext()
    parent = node.getparent()
    return after if after is not None or parent is None or parent.tag not in (*HEADINGS, "dt") else parent.getnext()


def _is_hidden(node: HtmlNode) -> bool:
    return node.get("hidden", "shown") in ("", "hidden") or HIDDEN.search(node.get("style")) is not None


def _is_panel(node: HtmlNode, weights: _Weights) -> bool:
    """Say whether what a control unfolds is text, and no menu or dialog."""
    return weights.linked(node) < SHORT_LINK_SHARE and not _is_boilerplate(node, weights)


def _is_folded_text(node: HtmlNode, weights: _Weights) -> bool:
    """Say whether a hidden element is text that waits to be unfolded: much prose, and neither menu nor dialog."""
    names = f"{node.get('class')} {node.get('id')}"
    if weights.prose(node) <= SHORT_CHARS or WEAK.search(names) or _is_boilerplate(node, weights):
        return False
    letters = sum(map(str.isalnum, "".join(node.itertext())))  # mails pad their hidden first line with blanks
    return letters > SHORT_CHARS and weights.linked(node) < SHORT_LINK_SHARE


def _is_boilerplate(node: HtmlNode, weights: _Weights) -> bool:
    role, names = node.get("role"), f"{node.get('class')} {node.get('id')}"
    if NOTES.search(f"{role} {node.get('epub:type')} {names}"):
        return bool(STRONG.search(names))
    if HATNOTES.search(names) or role == "note":
        return False
    if _is_aside(node, weights):
        return False
    if node.tag in TAGS or role in ROLES or node.get("aria-modal") == "true":
        return True
    if node.tag == "header" or role in PAGE_ROLES:
        return not _holds_heading(node) and not _is_within_tags(node, ("article", "main", "section"))
    if names == " " or node.tag in HEADINGS:
        return False
    if STRONG.search(names):
        return True
    linked = weights.linked(node)
    of_links = linked > LINK_SHARE or (linked > SHORT_LINK_SHARE and weights.text[node] < SHORT_CHARS)
    return of_links and WEAK.search(names) is not None and not _holds_heading(node)


def _is_aside(node: HtmlNode, weights: _Weights) -> bool:
    """Say whether what stands beside the main content is part of it, as a warning is: it lies within, and is prose."""
    beside = node.tag == "aside" or node.get("role") == "complementary"
    return beside and weights.linked(node) < SHORT_LINK_SHARE and _is_within_tags(node, ("article", "main"))


def _is_link_list(node: HtmlNode, weights: _Weights) -> bool:
    if node.tag not in ("ul", "ol", "div", "table", "p", "td") or weights.linked(node) < LINK_LIST_SHARE:
        return False
    links = sum(1 for _ in node.iter("a"))
    return (
        links >= MIN_LINKS
        and weights.links[node] < links * LINK_CHARS
        and not _is_within_tags(node, ("article", "main"))
    )


def _holds_heading(node: HtmlNode) -> bool:
    return next(node.iter("h1"), None) is not None


def _is_within_tags(node: HtmlNode, tags: tuple[str, ...]) -> bool:
    parent = node.getparent()
    while parent is not None:
        if parent.tag in tags or parent.get("role") == "main":
            return True
        parent = parent.getparent()
    return False


def _drop_html_element(node: HtmlNode) -> None:
    """Take an element out of the tree, unless it went with one around it."""
    if node.getparent() is not None:
        node.drop_tree()
