"""Flows put together over HTTP: checked, tried, saved as versions, by administrators of every space, in one folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rove.flow import read_flow, templates
from rove.serve.flows.flow_text import end_of_block, flow_tables, line_of
from serve.conftest import PUBLIC, Opener, Town

FLOWS = "/v1/spaces/hr/flows"
MINE = """\
# Ours. Ask Anna before you change it.
name = "mine"

[steps.found]
use = "search"                 # by words alone
question = "$input.question"
mode = "keyword"

[output]
hits = "$found"
"""
WRONG = """\
[steps.found]
use = "serch"
question = "$nothing"
[steps.good]
use = "search"
question = "$input.query"
[steps.'third']
use = "fuse"
lists = ["$good"]
k = "many"
[output]
hits = "$third"
"""
WRITES = (
    'writes = true\n[steps.added]\nuse = "add"\nsources = ["/etc/passwd"]\n[output]\nadded = "$added"\n',
    '[steps.added]\nuse = "add"\nsources = ["/etc/passwd"]\n[output]\nadded = "$added"\n',
    'writes = true\n[steps.a]\nuse = "walk"\nquestion = "$input.question"\n[output]\na = "$a"\n',
)
NOWHERE = ", ".join(f'"$nowhere_{i}"' for i in range(15))
HEAVY = (
    "a." * 31_000 + "b = 1",
    "x = " + "[" * 60_000,
    '[steps.a]\nuse = "search"\nquestion = "$input.question"\nwhen = "' + "not " * 15_000 + '"\n',
    "\n".join(f'[steps.s{i}]\nuse = "fuse"\nlists = [{NOWHERE}]' for i in range(190)),
    "".join(f"[steps.s{i}]\nuse='search'\n" for i in range(2_000)),
)
HOSTILE = (
    "..", "..%2Fx",
    "%2Fetc%2Fpasswd", "a.toml", "a b", "%00", "runs", "CON:", "ä", "-x", "x" * 65, "%2e%2e%5cx", "%0a", "a%0a",
)  # fmt: skip
CUT = """
import os, sys
from pathlib import Path
from rove.serve.administration.settings_file import version_of
from rove.serve.flows.flow_files import FlowFolder

folder, old, new = sys.argv[1:]
file = Path(folder, "mine.toml")

def mortal(real, at):
    def act(*given, **more):
        seen.append(1)
        if len(seen) == at:
            os._exit(9)
        done = real(*given, **more)
        seen.append(1)
        if len(seen) == at:
            os._exit(9)
        return done
    return act

status, at = 9, 0
while status == 9:  # ends at the first that is not killed
    seen, at = [], at + 1
    file.write_text(old)
    child = os.fork()
    if not child:
        os.fsync, Path.replace, Path.open = (mortal(one, at) for one in (os.fsync, Path.replace, Path.open))
        FlowFolder(folder).save("mine", new, version_of(old))
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(status, {old: "old", new: "new"}[file.read_text()])
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "flows"


def there(folder: Path) -> list[str]:
    """The names of the files of flows below a folder."""
    return sorted(one.name for one in folder.rglob("*.toml*"))


async def test_a_flow_is_checked_tried_saved_and_run(open_town: Opener, folder: Path) -> None:
    async with open_town(serve={"flows": str(folder)}) as town, town.client() as root, town.client("anna") as anna:
        assert (await root.get(f"{FLOWS}/files")).json()["files"] == []
        told = (await root.post(f"{FLOWS}/check", json={"text": MINE})).json()
        assert (told["faults"], told["lacks"], told["flow"]["steps"][0]["name"]) == ([], [], "found")
        assert told["lines"] == [{"name": "found", "first": 4, "last": 7}]
        given = {"question": "Who approves remote work?"}
        tried = await root.post(f"{FLOWS}/try", json={"text": MINE, "given": given})
        assert PUBLIC in tried.text
        assert (await root.get(f"{FLOWS}/runs")).json() == []
        assert there(folder) == []
        saved = await root.put(f"{FLOWS}/mine/source", json={"text": MINE, "version": ""})
        assert saved.status_code == 200
        assert (folder / "mine.toml").read_bytes() == MINE.encode()
        run = await anna.post(f"{FLOWS}/mine/run", json={"given": given})
        assert run.json()["output"] == tried.json()["output"]


async def test_every_fault_is_told_with_its_step_line_and_cure(town: Town) -> None:
    async with town.client() as root:
        told = (await root.post(f"{FLOWS}/check", json={"text": WRONG})).json()
        said = {(one["step"], one["line"]): (one["reason"], one["cure"]) for one in told["faults"]}
        assert said["good", 4] == ("$input.query is not an input.", "Inputs: question.")
        assert [one["reason"] for one in told["faults"] if one["step"] == "found"] == [
            "No operator is named 'serch'.",
            "$nothing names no step.",
        ]
        assert {one["name"] for one in told["flow"]["steps"]} == {"found", "good", "third"}
        mended = WRONG.replace("serch", "search").replace("$nothing", "$input.question").replace("query", "question")
        told = (await root.post(f"{FLOWS}/check", json={"text": mended})).json()
        assert {(one["place"], one["line"]) for one in told["faults"]} == {("steps.third.k", 10), ("steps.found", 1)}
        broken = (await root.post(f"{FLOWS}/check", json={"text": MINE + "x =\n"})).json()
        assert (broken["flow"], broken["faults"][0]["line"], broken["lines"][0]["first"]) == (None, 11, 4)
        chat = MINE + '[steps.w]\nuse = "write"\ntask = "short"\n'
        lacks = (await root.post(f"{FLOWS}/check", json={"text": chat.replace('"$found"', '"$w"')})).json()
        assert [one["reason"] for one in lacks["faults"]] == ["Nothing uses what it gives."]
        for name in templates():
            told = (await root.post(f"{FLOWS}/check", json={"text": read_flow(name).text})).json()
            assert bool(told["faults"]) == (name in {"ingest", "walk"}), name


async def test_what_changes_something_is_neither_tried_nor_saved(open_town: Opener, folder: Path) -> None:
    async with open_town(serve={"flows": str(folder)}) as town, town.client() as root:
        for text in WRITES:
            given = {"text": text, "given": {"question": "x"}}
            assert (await root.post(f"{FLOWS}/try", json=given)).status_code == 400
            assert (await root.put(f"{FLOWS}/bad/source", json={"text": text})).status_code == 400
        waits = '[steps.said]\nuse = "human"\nquestion = "$input.question"\n[output]\nsaid = "$said"\n'
        assert (await root.post(f"{FLOWS}/try", json={"text": waits, "given": {"question": "x"}})).status_code == 400
        refused = await root.put(f"{FLOWS}/bad/source", json={"text": WRONG})
        assert (refused.status_code, refused.json()["detail"]) == (400, "The flow has faults.")
        assert there(folder) == []


async def test_a_check_comes_to_its_end_and_long_texts_are_refused(town: Town) -> None:
    async with town.client() as root:
        for text in HEAVY:
            told = await root.post(f"{FLOWS}/check", json={"text": text})
            assert told.status_code == 200, text[:40]
            assert 1 <= len(told.json()["faults"]) <= 100
            assert len(told.content) < 400_000
        assert (await root.post(f"{FLOWS}/check", json={"text": "# " + "鸭" * 30_000})).status_code == 413
        assert (await root.put(f"{FLOWS}/a/source", json={"text": "#" * 64_001})).status_code == 422


async def test_versions_the_state_before_and_the_way_back(open_town: Opener, folder: Path) -> None:
    async with open_town(filled=False, serve={"flows": str(folder)}) as town, town.client() as root:
        source = f"{FLOWS}/mine/source"
        first = (await root.put(source, json={"text": MINE})).json()
        assert (await root.put(source, json={"text": MINE})).status_code == 409  # somebody has made it since
        (folder / "mine.toml").write_text(MINE + "# by hand\n")
        assert (await root.put(source, json={"text": MINE, "version": first["version"]})).status_code == 409
        assert (folder / "mine.toml").read_text() == MINE + "# by hand\n"
        seen = (await root.get(source)).json()
        changed = (await root.put(source, json={"text": MINE + "#\n", "version": seen["version"]})).json()
        assert (await root.get(source, params={"before": True})).json()["text"] == MINE + "# by hand\n"
        named = {"name": "ours", "version": changed["version"]}
        (folder / "theirs.toml").write_text(MINE)
        assert (await root.patch(source, json={**named, "name": "theirs"})).status_code == 400
        assert (await root.patch(source, json={**named, "version": "x"})).status_code == 409
        ours = (await root.patch(source, json=named)).json()
        assert (ours["name"], ours["text"]) == ("ours", MINE + "#\n")
        source = f"{FLOWS}/ours/source"
        assert (await root.delete(source, params={"version": first["version"]})).status_code == 409
        assert (await root.delete(source, params={"version": ours["version"]})).status_code == 204
        assert (await root.get(source)).status_code == 404
        files = {one["name"]: one["deleted"] for one in (await root.get(f"{FLOWS}/files")).json()["files"]}
        assert files == {"theirs": False, "mine": True, "ours": True}
        assert (await root.get(source, params={"before": True})).json()["text"] == MINE + "#\n"


async def test_hostile_names_name_nothing(open_town: Opener, folder: Path, tmp_path: Path) -> None:
    calls = (("GET", None), ("PUT", {"text": MINE}), ("PATCH", {"name": "x", "version": ""}), ("DELETE", None))
    async with open_town(filled=False, serve={"flows": str(folder)}) as town, town.client() as root:
        before = there(tmp_path)
        for name in HOSTILE:
            for method, body in calls:
                reply = await root.request(method, f"{FLOWS}/{name}/source?version=", json=body)
                assert reply.status_code in {400, 404, 405, 422}, (method, name, reply.text)
        await root.put(f"{FLOWS}/mine/source", json={"text": MINE})
        renamed = await root.patch(f"{FLOWS}/mine/source", json={"name": "../x", "version": ""})
        assert renamed.status_code == 400
        assert there(tmp_path) == sorted([*before, "mine.toml"])


async def test_without_a_folder_or_where_changes_are_closed_nothing_is_saved(open_town: Opener, folder: Path) -> None:
    async with open_town(filled=False, serve={"flows": ""}) as town, town.client() as root:
        refused = await root.put(f"{FLOWS}/mine/source", json={"text": MINE})
        assert (refused.status_code, "serve.flows" in refused.json()["cure"]) == (400, True)
        assert (await root.get(f"{FLOWS}/files")).json()["folder"] is False
    async with open_town(filled=False, serve={"flows": str(folder), "settings": "none"}) as town, town.client() as root:
        assert (await root.put(f"{FLOWS}/mine/source", json={"text": MINE})).status_code == 403
        assert (await root.get(f"{FLOWS}/files")).json()["closed"] is True
    assert there(folder) == []


async def test_a_step_is_put_in_whole_with_what_alone_can_be_meant(town: Town) -> None:
    async with town.client() as root:
        for one in (await root.get(f"{FLOWS}/operators")).json():
            asked = {"text": MINE, "use": one["name"], "line": 5}
            made = (await root.post(f"{FLOWS}/insert", json=asked)).json()
            lines = MINE.split("\n")
            text = "\n".join([*lines[: made["after"]], "", made["text"], *lines[made["after"] :]])
            told = (await root.post(f"{FLOWS}/check", json={"text": text})).json()
            assert [step["name"] for step in told["flow"]["steps"]].count(made["name"]) == 1, one["name"]
        judge = (await root.post(f"{FLOWS}/insert", json={"text": MINE, "use": "judge", "line": 5})).json()
        assert judge["text"] == ('[steps.judge]\nuse = "judge"\nquestion = "$input.question"\nhits = "$found"\n')
        fuse = {"text": MINE.replace("steps.found", "steps.fuse"), "use": "fuse", "line": 99}
        made = (await root.post(f"{FLOWS}/insert", json=fuse)).json()
        assert (made["name"], 'lists = ["$fuse"]' in made["text"]) == ("fuse_2", True)


def test_lines_of_a_text_that_cannot_be_read() -> None:
    text = 'x = \n# about\n[steps."one"] # first\nuse = "a\n\n# of two\n[ steps.two ]\nmode=1'
    assert [(one.name, one.first, one.last) for one in flow_tables(text)] == [
        ("", 1, 1), ("steps.one", 3, 4), ("steps.two", 7, 8)
    ]  # fmt: skip
    assert (line_of(text, "steps.two.mode"), line_of(text, "steps.one.q"), line_of(text, "output")) == (8, 3, 8)
    assert (end_of_block(text, 5), end_of_block("", 1)) == (4, 0)


def test_kill_while_it_saves_leaves_the_old_text_or_the_new(folder: Path) -> None:
    folder.mkdir()
    new = MINE + "# new\n"
    cut = subprocess.run(
        [sys.executable, "-c", CUT, str(folder), MINE, new], check=True, timeout=60, capture_output=True, text=True
    )
    seen = cut.stdout.split("\n")[:-1]
    assert set(seen[:-1]) == {"9 old", "9 new"}
    assert seen == sorted(seen, reverse=True)  # and never old again
    assert seen[-1] == "0 new"
    assert (folder / "mine.toml.before").read_text() == MINE
