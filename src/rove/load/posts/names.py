"""What dumps of posts call their columns, and whether a table holds posts."""

from __future__ import annotations

from collections.abc import Collection, Mapping

PREFIXES = ("reddit_", "aware_")
# What a column of ours is called in dumps; where several are there, the first that is not null counts.
NAMES = {
    "name": ("name", "id"),
    "text": ("text", "body", "selftext"),
    "title": ("title",),
    "subreddit": ("subreddit",),
    "parent": ("parent_id",),
    "root": ("link_id",),
    "kind": ("post_type",),
    "created": ("created_utc", "created_ts"),
    "score": ("score",),
    "permalink": ("permalink",),
}
NEEDED = ("name", "text", "subreddit")
Columns = Mapping[str, tuple[str, ...]]
"""Our name for what a column holds → the table's columns that hold it."""
TELLING = ("title", "parent", "root", "kind", "permalink")
"""Beside the needed columns, at least one of these has to be there before a table is taken for posts."""


def looks_like_posts(column_names: Collection[str]) -> bool:
    """Say whether a table with these columns holds Reddit-like posts and comments.

    >>> looks_like_posts(["id", "title", "text", "subreddit"]), looks_like_posts(["id", "title", "text"])
    (True, False)
    """
    found = find_columns(column_names)
    return all(name in found for name in NEEDED) and any(name in found for name in TELLING)


def find_columns(column_names: Collection[str]) -> Columns:
    """Return which of the table's columns are which of ours; one that it does not have is absent."""
    plain: dict[str, str] = {}
    for column in column_names:
        prefix = next((prefix for prefix in PREFIXES if column.startswith(prefix)), "")
        plain.setdefault(column.removeprefix(prefix), column)
    return {
        name: tuple(plain[alias] for alias in aliases if alias in plain)
        for name, aliases in NAMES.items()
        if any(alias in plain for alias in aliases)
    }
