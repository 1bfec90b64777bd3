"""`python -m bench PART [--json] [--write FILE]`: measure one part or all, print as markdown, write the page."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from bench import DATA, ROOT
from bench.report import Table, page, say

DOCS, QUERIES, KILOBYTES = 600, 200, 250


def parser() -> argparse.ArgumentParser:
    """Name the options; each says its default."""
    made = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    made.add_argument("what", choices=PARTS)
    made.add_argument("--sets", default="", help="names of sets, with commas; empty: all")
    made.add_argument("--docs", type=int, default=DOCS, help="most documents of a set")
    made.add_argument("--queries", type=int, default=QUERIES, help="most queries of a set")
    made.add_argument("--kb", type=int, default=KILOBYTES, help="most text of a set, UTF-8 kB")
    made.add_argument("--threads", type=int, default=2, help="of the embedder, in the quality part")
    made.add_argument("--no-rerank", action="store_true", help="leave the reranked mode out")
    made.add_argument("--no-peers", action="store_true", help="install and measure no other library")
    made.add_argument("--keyword-only", action="store_true", help="embed nothing in the chunks part")
    made.add_argument("--ways", default="", help="ways of cutting, strategy/size/overlap, with commas; empty: all")
    made.add_argument(
        "--engines", default="", help="indexes for the stores part, engines for the scans part, with commas; empty: all"
    )
    made.add_argument("--large", action="store_true", help="search, and stores, at 1 M chunks too")
    made.add_argument("--sizes", default="", help="sizes for the search part, with commas; empty: 5 k, 10 k, 100 k")
    made.add_argument("--formats", default="", help="formats for the reading part, with commas; empty: all")
    made.add_argument("--held", action="store_true", help="the held half of the sentences; a page has both")
    made.add_argument("--wrong", action="store_true", help="list what was judged wrongly, in the open half")
    made.add_argument(
        "--count", default="", help="posts, the team's passages, or synthetic vectors (0: none); sizes with commas"
    )
    made.add_argument("--embedder", default="static", help="of the posts")
    made.add_argument("--size", type=int, default=512, help="of the posts' chunks, in characters: 512, 256 or 128")
    made.add_argument("--keep", action="store_true", help="leave the posts' bases, and the team's, where they are")
    made.add_argument("--json", action="store_true", help="print the tables as JSON")
    made.add_argument("--write", type=Path, default=None, help="write the page there too")
    return made


def quality(options: argparse.Namespace) -> list[Table]:
    """See `bench.quality`."""
    from bench import quality as part
    from bench.sets import Cap

    chosen = [name for name in options.sets.split(",") if name] or None
    cap = Cap(options.docs, options.queries, options.kb)
    return part.run(chosen, cap, threads=options.threads, rerank=not options.no_rerank)


def speed(options: argparse.Namespace) -> list[Table]:
    """See `bench.speed`."""
    from bench import speed as part

    sizes = tuple(int(size) for size in options.sizes.split(",") if size) or part.SIZES
    return part.run(large=options.large, with_peers=options.what == "all" and not options.no_peers, sizes=sizes)


def peers(options: argparse.Namespace) -> list[Table]:
    """See `bench.peers`."""
    from bench import peers as part
    from bench.speed import CHUNKS, ROUNDS

    return [part.run(CHUNKS, ROUNDS, with_peers=not options.no_peers)]


def chunks(options: argparse.Namespace) -> list[Table]:
    """See `bench.chunks`."""
    from bench import chunks as part

    ways = [part.Way.read(way) for way in options.ways.split(",") if way] or part.WAYS
    return part.run(threads=options.threads, keyword_only=options.keyword_only, ways=ways)


def scans(options: argparse.Namespace) -> list[Table]:
    """See `bench.scans`."""
    from bench import scans as part

    engines = [name for name in options.engines.split(",") if name]
    return part.run([name for name in options.sets.split(",") if name], engines)


def reading(options: argparse.Namespace) -> list[Table]:
    """See `bench.reading`."""
    from bench.reading import run as part

    return part.run(options.formats, with_peers=not options.no_peers)


def badfiles(options: argparse.Namespace) -> list[Table]:
    """See `bench.badfiles`."""
    from bench import badfiles as part

    del options
    return part.run()


def serve(options: argparse.Namespace) -> list[Table]:
    """See `bench.serve`."""
    from bench import serve as part

    del options
    return part.run()


def walk(options: argparse.Namespace) -> list[Table]:
    """See `bench.walk`."""
    from bench import walk as part

    del options
    return part.run()


def graph(options: argparse.Namespace) -> list[Table]:
    """See `bench.graph`."""
    from bench import graph as part

    del options
    return part.run()


def sizes(options: argparse.Namespace) -> list[Table]:
    """See `bench.sizes`."""
    from bench import sizes as part

    del options
    return part.run()


def summaries(options: argparse.Namespace) -> list[Table]:
    """See `bench.summaries`."""
    from bench import summaries as part

    del options
    return part.run()


def start(options: argparse.Namespace) -> list[Table]:
    """See `bench.start`."""
    from bench import start as part

    del options
    return [part.run()]


def tree(options: argparse.Namespace) -> list[Table]:
    """See `bench.tree`."""
    from bench import tree as part

    del options
    return part.run()


def walking(options: argparse.Namespace) -> list[Table]:
    """See `bench.walking.run`."""
    from bench.walking import run as part

    del options
    return part.run()


def schemas(options: argparse.Namespace) -> list[Table]:
    """See `bench.schemas`."""
    from bench import schemas as part

    del options
    return part.run()


def sql(options: argparse.Namespace) -> list[Table]:
    """See `bench.text_to_sql`."""
    from bench import text_to_sql as part

    del options
    return part.run()


def questions(options: argparse.Namespace) -> list[Table]:
    """See `bench.questions`, `bench.whole` and `bench.mixed`."""
    from bench import mixed
    from bench import questions as part
    from bench.whole import run as whole

    chosen = options.sets.split(",") if options.sets else ["whole", "mixed", "stored"]
    parts = {"whole": whole.run, "mixed": mixed.run, "stored": part.run}
    return [table for name, measure in parts.items() if name in chosen for table in measure()]


def turns(options: argparse.Namespace) -> list[Table]:
    """See `bench.turns`."""
    from bench import turns as part

    return part.run([name for name in options.sets.split(",") if name] or part.HALVES)


def places(_: argparse.Namespace) -> list[Table]:
    """See `bench.places`."""
    from bench import places as part

    return part.run()


def subjects(options: argparse.Namespace) -> list[Table]:
    """See `bench.subjects`."""
    from bench import subjects as part

    del options
    return part.run()


def rewrites(options: argparse.Namespace) -> list[Table]:
    """See `bench.rewrites`."""
    from bench import rewrites as part

    del options
    return part.run()


def figures(options: argparse.Namespace) -> list[Table]:
    """See `bench.figures`."""
    from bench.figures import run as part

    return part.run(wrong=options.wrong)


def clerk(options: argparse.Namespace) -> list[Table]:
    """See `bench.clerk`."""
    from bench.clerk import run as part

    return part.run([half for half in options.sets.split(",") if half] or ("a", "b"))


def quotes(options: argparse.Namespace) -> list[Table]:
    """See `bench.quotes`."""
    from bench import quotes as part

    del options
    return part.run()


def static(options: argparse.Namespace) -> list[Table]:
    """See `bench.static`."""
    from bench import static as part
    from bench.sets import Cap

    chosen = [name for name in options.sets.split(",") if name] or None
    return part.run(chosen, Cap(options.docs, options.queries, options.kb))


def static_refusal(options: argparse.Namespace) -> list[Table]:
    """See `bench.static_refusal`."""
    del options
    from bench import static_refusal as part

    return part.run()


def speeds(options: argparse.Namespace) -> list[Table]:
    """See `bench.speeds`."""
    from bench import speeds as part
    from bench.sets import Cap

    chosen = [name for name in options.sets.split(",") if name] or None
    return part.run(chosen, Cap(options.docs, options.queries, options.kb))


def stores(options: argparse.Namespace) -> list[Table]:
    """See `bench.stores`."""
    from bench import stores as part

    return part.run(large=options.large, engines=[name for name in options.engines.split(",") if name])


def workers(options: argparse.Namespace) -> list[Table]:
    """See `bench.workers`."""
    from bench import workers as part

    del options
    return part.run()


def posts(options: argparse.Namespace) -> list[Table]:
    """See `bench.posts`."""
    from bench.posts import run as part

    return part.run(_counts(options) or part.COUNTS, options.embedder, options.size, keep=options.keep)


def team(options: argparse.Namespace) -> list[Table]:
    """See `bench.team`."""
    from bench.team import run as part

    return part.run((_counts(options) or [part.COUNT])[0], keep=options.keep)


def ivf(options: argparse.Namespace) -> list[Table]:
    """See `bench.ivf`."""
    from bench import ivf as part

    return part.run(_counts(options) or (part.COUNT,), options.embedder)


def _counts(options: argparse.Namespace) -> list[int]:
    return [int(count) for count in options.count.split(",") if count]


def sentences(options: argparse.Namespace) -> list[Table]:
    """See `bench.sentences`."""
    from bench.sentences import run as part

    chosen = "held" if options.held else "open"
    return part.run(part.HALVES if options.write else [chosen], wrong=options.wrong)


def small_model(options: argparse.Namespace) -> list[Table]:
    """See `bench.small_model.run`."""
    from bench.small_model import run as part

    return part.run([name for name in options.sets.split(",") if name])


def speech(options: argparse.Namespace) -> list[Table]:
    """See `bench.speech`."""
    from bench import speech as part

    return part.run([name for name in options.sets.split(",") if name] or ("a", "b"))


PARTS = {
    "quality": [quality],
    "speed": [speed],
    "peers": [peers],
    "chunks": [chunks],
    "reading": [reading],
    "scans": [scans],
    "badfiles": [badfiles],
    "serve": [serve],
    "walk": [walk],
    "walking": [walking],
    "schemas": [schemas],
    "sql": [sql],
    "start": [start],
    "tree": [tree],
    "graph": [graph],
    "summaries": [summaries],
    "questions": [questions],
    "turns": [turns],
    "places": [places],
    "subjects": [subjects],
    "rewrites": [rewrites],
    "clerk": [clerk],
    "figures": [figures],
    "quotes": [quotes],
    "sentences": [sentences],
    "small-model": [small_model],
    "speech": [speech],
    "static": [static],
    "static-refusal": [static_refusal],
    "speeds": [speeds],
    "stores": [stores],
    "sizes": [sizes],
    "workers": [workers],
    "posts": [posts],
    "team": [team],
    "ivf": [ivf],
    "all": [quality, speed],
}


WITHOUT_DATA = {"sentences", "figures", "walking", "scans", "small-model", "speech", "turns"}
"""Parts whose questions and files are the bench's own."""


def main(arguments: list[str]) -> int:
    """Run the parts; the page goes to standard output and, with --write, to a file."""
    options = parser().parse_args(arguments)
    if options.what not in WITHOUT_DATA and not DATA.is_dir():
        say(f"the benchmarks need the project's data in {DATA}")
        return 2
    tables = [table for part in PARTS[options.what] for table in part(options)]
    command = f"python -m bench {' '.join(arguments)}"
    text = page(command, tables)
    print(json.dumps([asdict(table) for table in tables], ensure_ascii=False, indent=1) if options.json else text)
    if options.write and options.what == "reading":
        from bench.reading.run import write

        write(ROOT / options.write, command, tables)
    elif options.write and options.what == "scans":
        from bench.scans import write

        write(ROOT / options.write, command, tables)
    elif options.write and options.what == "speech":
        from bench import speech as spoken

        spoken.write(ROOT / options.write, command, tables)
    elif options.write:
        (ROOT / options.write).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
