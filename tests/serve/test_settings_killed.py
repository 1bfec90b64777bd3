"""A server is killed in the midst of saving settings and people: what it said yes to is there, and no file is torn."""

from __future__ import annotations

import random
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep

import httpx
import pytest

from serve.conftest import serving
from serve.people import HERE, PASSWORD

pytestmark = pytest.mark.long
SETTINGS = "/v1/spaces/default/settings"
ROUNDS = 6


def test_settings_and_people_outlive_kill_at_any_moment(tmp_path: Path) -> None:
    kb, chance = tmp_path / "kb", random.Random(7)
    kb.mkdir()
    file = kb / "rove.toml"
    file.write_text('# by hand\n[embedder]\nname = "fake"\n', "utf-8")
    people: set[str] = set()
    saved = tried = 0
    with serving(kb) as (client, _):
        ada = client.post("/v1/people", json={"name": "ada", "role": "administrator"}).json()
        client.headers = httpx.Headers(HERE)
        accepted = {"token": ada["invitation"]["token"], "password": PASSWORD}
        assert client.post("/v1/session/invitation", json=accepted).status_code == 200
        cookies = {"rove_session": client.cookies["rove_session"]}

    def change(address: str) -> None:
        nonlocal saved, tried
        with httpx.Client(base_url=address, timeout=30, headers=HERE, cookies=cookies) as client:
            while True:
                version = client.get(SETTINGS).json()["version"]
                tried += 1
                reply = client.patch(SETTINGS, json={"version": version, "values": {"search.candidates": 100 + tried}})
                assert reply.status_code == 200, reply.text
                saved = tried

    def invite(address: str, round_: int) -> None:
        with httpx.Client(base_url=address, timeout=30, headers=HERE, cookies=cookies) as client:
            for number in range(1_000):
                name = f"p{round_}n{number}"
                reply = client.post("/v1/people", json={"name": name, "role": "reader"})
                assert reply.status_code == 201, reply.text
                people.add(name)

    for round_ in range(ROUNDS + 1):
        with ThreadPoolExecutor(2) as workers, serving(kb) as (client, process):
            client.headers, client.cookies = httpx.Headers(HERE), httpx.Cookies(cookies)
            sections = client.get(SETTINGS).json()["sections"]
            told = {one["name"]: one["value"] for section in sections for one in section["settings"]}
            assert not tried or saved <= told["search.candidates"] - 100 <= tried
            assert {one["name"] for one in client.get("/v1/people").json()["people"]} >= people
            if round_ == ROUNDS:
                break
            address = str(client.base_url)
            working = [workers.submit(change, address), workers.submit(invite, address, round_)]
            sleep(chance.uniform(0.1, 0.9))
            process.kill()
            ended = [one.exception(timeout=30) for one in working]
            assert all(isinstance(error, httpx.TransportError) for error in ended), ended
        text = file.read_text("utf-8")
        assert text.startswith("# by hand\n[embedder]")
        assert not tried or saved <= tomllib.loads(text)["search"]["candidates"] - 100 <= tried
    assert saved and people
