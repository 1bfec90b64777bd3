"""How far and how dear fetching may go: what is known without importing what fetches."""

from __future__ import annotations

from dataclasses import dataclass

from rove.load.discover import DEFAULT_MAX_BYTES


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """What one page may cost. `timeout_s` is for the whole of it, a retry or a redirect begins anew."""

    max_bytes: int = DEFAULT_MAX_BYTES
    timeout_s: float = 30.0
    redirects: int = 5
    retries: int = 2
    max_wait_s: float = 30.0
    allow_private: bool = False


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """How far to go: `depth` links from the first page, `pages` in all; `sitemap` adds what the site's sitemap names.

    `delay_s` is the pause between two requests; the site's own Crawl-delay counts where it is longer.
    """

    depth: int = 1
    pages: int = 100
    sitemap: bool = False
    delay_s: float = 1.0
