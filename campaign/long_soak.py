"""The section of docs/campaign.md that a soak by itself writes, and that a campaign leaves as it is."""

from __future__ import annotations

HEADING = "\n## The long soak\n"


def with_section(page: str, told: str, command: str, day: str) -> str:
    r"""Return the page with what a soak has told in place of what the one before it did.

    >>> print(with_section("# Campaign\n", "60 minutes", "python -m campaign.soak", "2026-11-28"))
    # Campaign
    <BLANKLINE>
    ## The long soak
    <BLANKLINE>
    - command: `python -m campaign.soak`
    - date: 2026-11-28 UTC
    <BLANKLINE>
    ```text
    60 minutes
    ```
    <BLANKLINE>
    """
    section = [f"- command: `{command}`", f"- date: {day} UTC", "", "```text", told, "```", ""]
    return page.partition(HEADING)[0] + HEADING + "\n" + "\n".join(section)


def section_of(page: str) -> str:
    """Return the section as it stands in a page, "" where there is none."""
    _, heading, section = page.partition(HEADING)
    return heading + section
