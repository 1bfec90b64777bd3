"""The demo: documents go in, are searched, and answer questions; a citation opens at its very words.

Every step is a command that you could type yourself; it is shown before it is run. `make demo` runs this file.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROVE = Path(sys.executable).with_name("rove")
BASE = os.environ.get("ROVE_KB", "demo-kb")
ENVIRONMENT = {**os.environ, "ROVE_KB": BASE}


def say(text: str) -> None:
    """Print a line of the story."""
    print(f"\n\033[1m# {text}\033[0m" if sys.stdout.isatty() else f"\n# {text}", flush=True)


def rove(*arguments: str) -> None:
    """Show a command, and run it where the reader sees what it prints.

    Raises:
        CalledProcessError: the command failed.
    """
    print(f"$ rove {shlex.join(arguments)}", flush=True)
    subprocess.run([ROVE, *arguments], cwd=ROOT, env=ENVIRONMENT, check=True)


def first_citation(question: str) -> tuple[str, str]:
    """Ask for JSON, as a program would; return the document's id and the span of the first citation.

    Raises:
        SystemExit: the reply cites nothing.
    """
    command = [ROVE, "ask", question, "--json"]
    done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, check=True, capture_output=True, text=True)
    reply = json.loads(done.stdout)
    citation = next((c for sentence in reply["sentences"] for c in sentence["citations"]), None)
    if citation is None:
        sys.exit(f"The demo expects an answer here and got: {reply['text']}")
    start, end = citation["span"]
    return citation["document_id"], f"{start}:{end}"


def main() -> None:
    """Tell the story."""
    say("Markdown, text, HTML, PDF, Word and JSON in five languages go in. No server, no key, no download.")
    print(f"$ export ROVE_KB={BASE}")
    rove("add", "demo/documents")

    say("Hybrid search: words and meaning, each hit with its place in both lists.")
    rove("search", "rebuild a bloated index", "--top", "2", "--verbose")
    say("In Japanese: what to do when a laptop is lost.")
    rove("search", "ノートパソコンをなくした", "--top", "1")
    say("Only where a condition holds; records bring their metadata along.")
    rove("search", "guest access", "--where", "topic=network", "--top", "2")

    say("A heading is asked for: all below it comes together.")
    rove("search", "dropping roles", "--mode", "tree", "--top", "3")
    say("The help desk was asked this before: its answer, and nothing else.")
    rove("search", "how can I reset my VPN token", "--mode", "questions")

    say("What all of it is about, worked out without a model.")
    rove("themes", "--top", "3")

    say("What one document says: three sentences of its own, each with where it stands.")
    rove("enrich", "summaries")
    rove("summary", "demo/documents/handbook/mobiles-arbeiten.md")
    rove("search", "Was gilt beim Arbeiten von unterwegs?", "--mode", "summaries", "--top", "1")

    say("Who does what to whom, read by rules: what the documents say of one article, each with its words.")
    rove("enrich", "graph")
    rove("graph", "SKU-8847", "--limit", "3")

    who = "Who approves mobile working, and since when?"
    say("An English question; the answer stands in a German document. No chat model is set, so Rove quotes.")
    rove("ask", who)
    say("Each citation opens at the very words.")
    document_id, span = first_citation(who)
    rove("inspect", document_id, "--span", span)

    say("In Chinese: until when can unused leave be taken?")
    rove("ask", "没休完的年假可以顺延到什么时候？")
    say("In Hungarian: what is the daily allowance abroad?")
    rove("ask", "Mennyi a napidíj külföldi kiküldetés esetén?")
    say("A walk goes in rounds: what is read gives facts and leads, which are followed. Ctrl-C lets you steer it.")
    rove("walk", "Which signal requests a fast shutdown, and which command terminates a session?", "--rounds", "2")
    say("What the documents do not hold is not answered.")
    rove("ask", "How heavy is a blue whale?")

    say("The same command again finds nothing to do.")
    rove("add", "demo/documents")
    say("Your turn: .venv/bin/rove add YOUR-FOLDER && .venv/bin/rove ask 'YOUR QUESTION'   (more: docs/tutorial.md)")


if __name__ == "__main__":
    main()
